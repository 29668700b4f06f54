"""A vector where there is one number."""

from errors.expect import refuses

from emv import Message, Vector, f32
from emv.errors import TypeMismatchError


def test_vector_as_a_field():
    def declare():
        class Offer(Message):
            place: Vector[f32, 3]

        return Offer

    refuses(
        declare,
        TypeMismatchError,
        at="place: Vector[f32, 3]",
        under="place",
        function="<module>",
        says="record Offer: field 'place' is a Vector[f32, 3], and fields hold one number each",
        remedy="Declare a field per part: place_0: f32",
    )
