"""Programs of many users, side by side on one machine: a queue, shares, and memory that suffices.

`Service` takes programs and gives futures. Medusa's runtime coordinates the memory and the kernels
of several users' tasks so that none waits for ever for what another holds (Zhong and He, IEEE TPDS
2014, section 3.2). `Ledger` holds what is promised to whom, `Waiting` who comes next.
"""

from emv.service.job import Job
from emv.service.ledger import Claim, Ledger
from emv.service.service import Service
from emv.service.state import Limits, UserReport
from emv.service.waiting import Waiting

__all__ = ["Claim", "Job", "Ledger", "Limits", "Service", "UserReport", "Waiting"]
