"""What looks for wrong results for minutes or hours, one command each; it times only one thing.

``python -m tests.stress.trust``             writers killed, files broken, caches damaged, Ctrl-C
``python -m tests.stress.malformed``         what is said of files with one mistake each
``python -m tests.stress.random_programs``   programs that are drawn, on every backend
``python -m tests.stress.mutations``         programs that change their graph, likewise
``python -m tests.stress.changes``           graphs that change by scripts, against dictionaries
``python -m tests.stress.replays``           histories of graphs that are killed while they grow
``python -m tests.stress.service``           jobs in random orders, a server under many clients
``python -m tests.stress.cascades``          cascades by every loop, and their means by all outcomes
``python -m tests.stress.spellings``         searches in other words, by the time of the pages
``python -m tests.stress.gpus_agree``        programs on several GPUs, or parts of one, and on one
``python -m tests.stress.meetings``          grids that meet, on one GPU or several
``python -m tests.stress.sanitize``          each kind of program, for compute-sanitizer on a GPU
``python -m tests.stress.sanitize_library``  every algorithm, likewise
``python -m tests.stress.big_graphs``        a thousand million arcs and more on one GPU
``python -m tests.stress.large_builds``      index arrays of as many, built on one GPU
``python -m tests.stress.inventory``         a folder of files, compared with its list of figures
``python -m tests.stress.site_pages``        every page of the site in a browser, wide to dark

``--help`` says what each takes. pytest does not collect them: the tests beside run what is short.
"""
