@testable import ForgeBusClient

/// The words of the module under test; other modules that tests import have an `Errors` of their own.
typealias Errors = ForgeBusClient.Errors
