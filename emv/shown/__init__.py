"""What a run took, shown: as tables, and as a picture, which takes the extra ``viz``."""
