"""How a random program sends messages and what it does with them: lists, maps, folds."""

from __future__ import annotations

from random_model import Function, Message, Parameter
from random_steps import DTYPES, Name, Steps, folded

WORDS = {
    "int": ("sum", "min", "max", "prod", "any", "all", "first", "last", "mixture", "nearest"),
    "float": ("sum", "min", "max", "any"),
    "bool": ("any", "all", "sum", "max", "min"),
}
OWN_COMBINERS = ("first", "last", "mixture", "nearest")
RECORD_DTYPES = {"int": ("i32", "i64", "u8", "i16"), "float": ("f32", "f64"), "bool": ("bool",)}

SHORT = {"int": ("i32", "i16", "u8"), "float": ("f32",), "bool": ("",)}
"""The types of the parts of pairs that can be sorted."""


class Deliveries(Steps):
    """Writes the steps of a program that send messages."""

    def new_message(self) -> Message:
        """Choose what a function sends."""
        count = self.choices.pick((1, 1, 1, 2, 2, 3))
        families = tuple(self.choices.pick(("int", "float", "int", "bool")) for _ in range(count))
        if count > 1 and self.choices.chance(50):
            dtypes = tuple(self.choices.pick(RECORD_DTYPES[each]) for each in families)
            name = self.made.name("News")
            fields = self.made.fields_of_message(count)
            self.made.records[name] = dict(zip(fields, dtypes, strict=True))
            self.made.count("message:record")
            return Message(families, name)
        self.made.count(f"message:{'tuple' if count > 1 else families[0]}")
        powers, casts = self.choices.chance(30), ()
        if count == 2 and self.choices.chance(60):
            self.made.count("message:short pair")
            casts = tuple(self.choices.pick(SHORT[each]) for each in families)
        return Message(families, None, powers, casts)

    def write_deliver(self) -> list[str]:
        """Send messages and take them up in one or two ways."""
        kind = self.function_kind(True)
        only = kind == "edge" and self.choices.chance(20)
        message = self.new_message()
        function = self.new_function(kind, self.number_parameters(), message, edges_only=only)
        name = Name(self.made.name("sent"), message=message, record=message.record)
        call = f"{function.name}({self.domain(function)}{self.arguments(function, {})})"
        lines = [f"{name.text} = {call}"]
        if self.choices.chance(20):
            name, more = self.mapped(name)
            lines += more
        self.messages.append(name)
        for _ in self.choices.parts(2, 40):
            lines += self.taken_up(name)
        return lines

    def mapped(self, sent: Name) -> tuple[Name, list[str]]:
        """Apply a @message function."""
        assert sent.message is not None
        if len(sent.message.families) > 1 and sent.message.record is None:
            return sent, []
        function = self.new_function("message", self.number_parameters(), heard=sent.message)
        name = Name(self.made.name("mapped"), message=plain(sent.message), record=sent.record)
        given = self.arguments(function, {})
        self.made.count("domain:messages")
        return name, [f"{name.text} = {function.name}({sent.text}{given})"]

    def taken_up(self, sent: Name) -> list[str]:
        """List the messages of a vertex, or fold them and hand on the values."""
        assert sent.message is not None
        message = sent.message
        if self.choices.chance(30):
            function = self.new_function(
                "mlist", self.number_parameters(), self.answer(), heard=message
            )
            listed = {"heard": sent.text}
            domain = self.domain(function, sent.text)
            given = self.arguments(function, {})
            call = f"{function.name}({domain}, {listed['heard']}{given})"
            return [f"{self.keep_answer(function)}{call}"]
        name, lines = self.combined(sent)
        self.values.append(name)
        return lines + (self.handed_on(name) if self.choices.chance(80) else [])

    def answer(self) -> Message | None:
        """Return what a receiver sends in turn, mostly nothing."""
        return self.new_message() if self.choices.chance(15) else None

    def keep_answer(self, function: Function) -> str:
        if function.message is None:
            return ""
        name = Name(self.made.name("sent"), message=function.message)
        self.messages.append(name)
        return f"{name.text} = "

    def combined(self, sent: Name) -> tuple[Name, list[str]]:
        """Fold messages."""
        message, made = sent.message, self.made
        assert message is not None
        name = made.name("got")
        if message.record is not None and self.choices.chance(70):
            words = [self.word(family, False) for family in message.families]
            fields = made.records[message.record]
            pairs = zip(fields, words, strict=True)
            inside = ", ".join(f"{field}={self.spelled(word)}" for field, word in pairs)
            made.count("combine:fields", *(f"combiner:{word}" for word in words))
            families = tuple(map(folded, words, message.families))
            return self.of_fold(name, families, sent), [
                f"{name} = emv.combine({sent.text}, {inside})"
            ]
        if len(message.families) > 1:
            word = self.choices.pick(("min", "max", "sum"))
            families = tuple(folded(word, each) for each in message.families)
            made.count(f"combiner:{word}", f"combine:tuple {word}")
            return self.of_fold(name, families, sent), [f"{name} = emv.{word}({sent.text})"]
        word = self.word(message.families[0], message.powers)
        initial = ""
        takes_start = word in ("sum", "min", "max") and message.families != ("bool",)
        if takes_start and self.choices.chance(20):
            initial = f", initial={self.choices.pick(('1', '5'))}"
        made.count(f"combiner:{word}", f"combine:{message.families[0]} {word}")
        line = f"{name} = {self.spelled(word)}({sent.text}{initial})"
        return self.of_fold(name, (folded(word, message.families[0]),), sent), [line]

    def of_fold(self, name: str, families: tuple[str, ...], sent: Name) -> Name:
        """Return the name of values; a record's whose fields keep their families is one still."""
        assert sent.message is not None
        record = sent.record if families == sent.message.families else None
        return Name(name, families, record=record, from_messages=sent.text, bounded=False)

    def word(self, family: str, powers: bool) -> str:
        words = WORDS[family] + (("prod", "prod") if family == "float" and powers else ())
        return str(self.choices.pick(words))

    def spelled(self, word: str) -> str:
        if word not in OWN_COMBINERS:
            return f"emv.{word}"
        self.made.combiners.add(word)
        return word

    def handed_on(self, values: Name) -> list[str]:
        """Apply a function that takes values per vertex."""
        dtypes = tuple(self.choices.pick(DTYPES[each]) for each in values.families)
        parameter = Parameter(self.made.name("got"), dtypes, "values")
        if values.record is not None and self.choices.chance(50):
            self.made.count("parameter:record")
            fields = self.made.records[values.record]
            given = tuple(fields.values()), "values", values.record, tuple(fields)
            parameter = Parameter(parameter.name, *given)
        kind = self.choices.pick(("vertex", "vertex", "elist"))
        function = self.new_function(
            kind, [parameter, *self.number_parameters()], self.answer() if kind != "edge" else None
        )
        given = {parameter.name: values.text}
        if function.message is not None:
            call = f"{function.name}({self.domain(function, values.from_messages)}"
            return [f"{self.keep_answer(function)}{call}{self.arguments(function, given)})"]
        lines: list[str] = self.apply(function, given, values.from_messages)
        return lines


def plain(message: Message) -> Message:
    """Return what a @message function leaves of messages: floats are no powers of two then."""
    return Message(message.families, message.record)
