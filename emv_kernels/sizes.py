"""Numbers that kernels and those who make room for them agree on; no numba here."""

from __future__ import annotations

ROW = 1024  # ids that a thread of the host collects before it appends them to a queue
ROW_PLACES = ROW + 16  # of its row, which begins a cache line behind that of another thread
PLACES = 16  # that launches keep of a phase (`emv_kernels.cpu.turns`)
CHUNK = 64  # places for messages that a thread of the host takes at once
WIDE = 1024  # out-arcs of a vertex from which pushes on a GPU cut its row into pieces
MANY = 1 << 26  # arcs of a vertex, at most, for the choice of a direction
GROUP = 32  # bodies for which one walk over their tree is made, as many as lanes of a warp
LEAF = 16  # bodies of a leaf of it, a divisor of a group
RANKED_BITS = 10
RANKED = 1 << RANKED_BITS  # keys that a block of a GPU sorts by itself (`sort_fewest`)
RANKERS = 8  # lanes that find the ranks of one of these in all chunks, in four at a time each
ROOM = 4096  # sums of neighbours that a thread of the host keeps before it adds them to columns
ARC_BLOCK = 1024  # arcs that a thread of the host takes at a time where rows are long
ROW_BLOCK = 64  # entries of a queue that it takes where rows are short
LONG_ROW = 64  # arcs of the longest row, above which rows are long
SENDERS_AHEAD = 256  # arcs behind the one at which a pull on cores is, whose sender it asks for
ASKED = max(ARC_BLOCK, ROW_BLOCK * LONG_ROW) + 64  # arcs of a block, and where one more is put down
FEW = 4  # entries of a row from which common neighbours are looked up in a table

# Of text that is read on cores (`emv_kernels.cpu.marks`).
TEXT_WIDTH = 64  # bytes looked at together
TEXT_WORDS = 64  # so that a place among their bytes is 16 bits wide, and all stay in the cache
TEXT_PLACES = TEXT_WIDTH * (TEXT_WORDS + 1)  # as many as there can be, and one word's more

# Of what is around a program on a GPU (`emv_kernels.cuda.around`).
AROUND_PLACES = 3  # words that come back: whether all is done, when the program began, and ended
MOST_FILLS = 12  # arrays that are filled before it
PER_FILL = 3  # numbers that say how: where one begins, its words, the word

# Places of the shared state (`emv.codegen.state`) that the barrier of a GPU's grid uses.
ALONE = 126  # whether one block works while the others wait
ARRIVED = 160  # blocks that wait at the barrier
RELEASED = 176  # barriers passed so far
ALONE_AT = 177  # the barrier after which one block began to work alone
MET_APART = 178  # blocks that have met where each decides for itself, added up
BARRIER_END = 192  # behind all these

PENDING_LONG = 155  # whether a row of `WIDE` out-arcs or more is among those that are queued

# Of messages that a thread of the host adds up by kind (`emv_kernels.cpu.tallies`).
SMALL_KINDS = 2**17  # kinds below it have a sum each, a megabyte in all
FEW_KINDS = 8  # messages of a list that is searched kind by kind
NEAR_KINDS = 256  # and of one whose other kinds are looked for where they always are
LISTED_KINDS = NEAR_KINDS + FEW_KINDS  # of a thread
KIND_COUNTS = 8  # numbers of a thread

# Of messages that a warp of a GPU adds up by kind (`emv_kernels.cuda.tallies`).
TALLY_PLACES = 256  # of its table, of 16 bytes each
TALLY_BOUNDS = 272  # words behind them, of which a block needs all

# Of values that are lowered along arcs (`emv_kernels.cuda.lower`): what is counted there.
QUEUED = 0  # how long four queues are, by turns
BAD_LENGTHS = QUEUED + 4  # how many lengths of new edges are not such as may be added
LOWER_WORDS = BAD_LENGTHS + 1
IS_OVER, IS_LEFT, IS_BAD, ENDS = 0, 1, 2, 3  # how a launch ended, told with rounds times `ENDS`
LOWER_PIECE = 256  # arcs of an entry of a queue, at most
HELD = 1024  # vertices that a block keeps to go on with by itself

# Of residuals that are pushed along arcs (`emv_kernels.cuda.residuals`), behind the barrier's, too.
SUMS = ALONE_AT + 1  # of four rounds, by turns
RESIDUAL_SUMS = 6  # of a round

# Places by which launches on cores hear of signals; what one thread counts stands apart.
LEAVING = 152  # the launch is being left before its end
LISTENS = 153  # the first thread is Python's main thread, which runs the handlers
WAITS = 184  # blocks of work until it looks at the clock again
LOOKED = 185  # when it last looked, in nanoseconds
HEARD = 186  # when it last let handlers run
