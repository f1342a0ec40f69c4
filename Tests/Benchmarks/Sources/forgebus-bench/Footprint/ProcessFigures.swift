import Foundation

/// The figures of a process that the Linux kernel reports in `/proc`: its memory and its context switches.
struct ProcessFigures {
    /// The process's directory in `/proc`.
    fileprivate let directory: String

    init(_ process: Int32) { directory = "/proc/\(process)" }

    /// The figures of this process.
    static let own = ProcessFigures(getpid())

    /// The part of the process's memory that is in RAM, in bytes.
    var residentBytes: Double {
        get throws { try number("VmRSS", in: directory + "/status") * 1024 }
    }

    /// The number of context switches so far for each thread of the process, voluntary or not, by the thread's id.
    var contextSwitches: [String: Double] {
        get throws {
            let threads = try FileManager.default.contentsOfDirectory(atPath: directory + "/task")
            return try threads.reduce(into: [:]) { switches, thread in
                let file = "\(directory)/task/\(thread)/status"
                // A thread may have ended since the directory was read.
                guard FileManager.default.fileExists(atPath: file) else { return }
                switches[thread] =
                    try number("voluntary_ctxt_switches", in: file)
                    + number("nonvoluntary_ctxt_switches", in: file)
            }
        }
    }

    /// The number of context switches of all the process's threads since `before`.
    func contextSwitches(since before: [String: Double]) throws -> Double {
        try contextSwitches.reduce(0) { sum, thread in sum + thread.value - (before[thread.key] ?? 0) }
    }

    fileprivate func number(_ field: String, in file: String) throws -> Double {
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        let words = lines.first { $0.hasPrefix(field + ":") }?.split { !$0.isNumber }
        guard let text = words?.first, let value = Double(text) else {
            throw TransportMeasureFailure(description: "The file \(file) has no number \(field).")
        }
        return value
    }
}

extension ProcessFigures {
    /// The process's memory that no other process shares, in bytes.
    var privateBytes: Double {
        get throws {
            try
                (number("Private_Clean", in: directory + "/smaps_rollup")
                + number("Private_Dirty", in: directory + "/smaps_rollup")) * 1024
        }
    }

    /// How many descriptors the process has open.
    var openFiles: Int { get throws { try FileManager.default.contentsOfDirectory(atPath: directory + "/fd").count } }

    /// How many threads the process has.
    var threads: Int { get throws { try FileManager.default.contentsOfDirectory(atPath: directory + "/task").count } }
}
