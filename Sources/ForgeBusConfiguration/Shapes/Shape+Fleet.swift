import ForgeBusFleet

// The inventory of a fleet.
extension Shape {
    static let inventory = Shape(
        "an inventory",
        [
            Key(
                "workers",
                .named(.mapping(.inventoryWorker)),
                need: "an inventory names at least one worker, here or in what it includes",
                "a mapping of names to workers; optional if there is `include`"
            ),
            Key(
                "include",
                .list(.mapping(.include)),
                "a list of at most \(IncludeDefinition.maximumCount) commands that print further workers; optional"
            ),
            Key("expect", .list(.mapping(.expectation)), "a list of the monitors that workers must have; optional"),
        ]
    )

    /// What a command of an inventory prints.
    static let includedWorkers = Shape(
        "the output of a command",
        [
            Key(
                "workers",
                .named(.mapping(.inventoryWorker)),
                need: "it has the workers of the command",
                "a mapping of names to workers"
            )
        ]
    )

    static let inventoryWorker = Shape(
        "a worker of an inventory",
        [
            Key(
                "endpoint",
                .text("an endpoint"),
                need: "it is where the worker listens",
                "where the worker listens: `tcp://HOST:PORT` or `ipc:///PATH`; required, and different for each worker"
            ),
            Key(
                "key",
                .text("a public key"),
                "the worker's public key, which `forgebus keygen` prints; always in quotation marks, and different for each "
                    + "worker"
            ),
            Key(
                "key_file",
                .text("the path of a certificate file"),
                "instead of `key`: the path of the file `NAME.key` with the public key"
            ),
            Key(
                "labels",
                .named(.text("the value of a label")),
                "a mapping of at most \(LabelText.maximumCount) labels to their values, by which `--on` and `on` choose "
                    + "workers; optional"
            ),
        ]
    )

    static let expectation = Shape(
        "an expectation",
        [
            Key(
                "on",
                .list(.text("a label with its value, or a name")),
                "a list of labels with their values, such as `[role=web, zone=a]`, or a list of names; without it, all workers"
            ),
            Key(
                "monitors",
                .list(.name("the name of a monitor")),
                need: "it lists the monitors that these workers must have",
                "a list of names of monitors"
            ),
        ]
    )

    static let include = Shape(
        "an include",
        [
            Key(
                "command",
                .command,
                need: "it is the program that prints workers, and its arguments",
                "a list: the program, then its arguments"
            ),
            Key(
                "timeout",
                .time(.milliseconds(1)...Duration.seconds(600)),
                usual: DurationText.text(of: IncludeDefinition.usualTimeLimit),
                "how long the command may take"
            ),
        ]
    )
}
