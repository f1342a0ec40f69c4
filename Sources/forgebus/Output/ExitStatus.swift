import ArgumentParser
import ForgeBusConfiguration
import ForgeBusProtocol
import ForgeBusWorker
import ZeroMQ

#if HTTP
import ForgeBusGateway
#endif

/// The exit status of a command.
///
/// The numbers from 65 to 78 have the meaning of sysexits.h. The number 124 is the status of timeout(1). With 130, 141
/// and 143, shells show that a signal ended a process.
enum ExitStatus: Int32, CaseIterable {
    case done = 0
    case runFailed = 1
    case cameToNothing = 2
    case unheard = 3
    case badData = 65
    case unreachable = 69
    case software = 70
    case cannotCreate = 73
    case inputOutput = 74
    case tryAgain = 75
    case superseded = 76
    case forbidden = 77
    case configuration = 78
    case outcomeUnknown = 124
    case interrupted = 130
    case unread = 141
    case terminated = 143

    /// The error that ends a command with this status.
    var exit: ExitCode { ExitCode(rawValue) }

    /// The status for an error of the bus.
    init(_ code: ErrorCode) {
        switch code {
        case .timeout, .closed, .cancelled, .otherStore: self = .outcomeUnknown
        case .unreachable: self = .unreachable
        case .forbidden: self = .forbidden
        case .idConflict, .idTaken, .keyHeld, .notRejectable, .notParked, .countDiffers: self = .cameToNothing
        case .badAnswer: self = .software
        case .badCertificate: self = .configuration
        case .cannotCreate: self = .cannotCreate
        case .storeFailed: self = .inputOutput
        case _ where code.isRetryable: self = .tryAgain
        default: self = .badData
        }
    }

    /// The status for an error that keeps a worker from starting, or that ends the worker.
    init(_ error: any Error) {
        switch error {
        case let error as WorkerError: self = ExitStatus(error.code)
        case is ConfigurationError: self = .configuration
        case let error as BusError: self = ExitStatus(error.code)
        case let error as ZeroMQError: self = error.code == .invalidEndpoint ? .configuration : .unreachable
        default:
            #if HTTP
            self = error is GatewayError ? .unreachable : .software
            #else
            self = .software
            #endif
        }
    }

    private init(_ code: WorkerError.Code) {
        switch code {
        case .endpoint: self = .unreachable
        case .store: self = .inputOutput
        case .storeUnavailable: self = .cannotCreate
        case .storeUnsound: self = .badData
        case .superseded: self = .superseded
        case .storeUnreachable: self = .tryAgain
        case .usage: self = .software
        default: self = .configuration
        }
    }
}
