import Testing

/// One at a time: each starts a worker and several clients, and what is waited for is never the clock.
@Suite("The command line", .serialized, .timeLimit(.minutes(30)))
enum CommandLineTests {}
