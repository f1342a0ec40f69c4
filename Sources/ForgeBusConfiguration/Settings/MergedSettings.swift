import Configuration
import ForgeBusProtocol
import ForgeBusWorker

/// The settings of a worker from three layers: overrides, environment and file.
///
/// The overrides are given at the start and take precedence over the environment, which takes precedence over the file.
struct MergedSettings {
    private let reader: ConfigReader
    private let overrides: WorkerSettings
    private let environment: [String: String]
    private let file: WorkerSection

    /// Merges the three layers; `file` contains only valid values.
    init(_ overrides: WorkerSettings, environment: [String: String], file: WorkerSection) {
        // An empty variable counts as missing. Variables of other programs are not read.
        let ours = environment.filter { $0.key.hasPrefix("FORGEBUS_") && !$0.value.isEmpty }
        self.overrides = overrides
        (self.environment, self.file) = (environment, file)
        let layers: [any ConfigProvider] = [
            InMemoryProvider(name: "start", values: overrides.values),
            EnvironmentVariablesProvider(environmentVariables: ours),
            InMemoryProvider(name: "file", values: file.values),
        ]
        reader = ConfigReader(providers: layers).scoped(to: "forgebus")
    }

    /// The endpoints to listen at; nil if no layer names one.
    var listen: [String]? { endpoints(.listen) }

    /// Where the worker stores its state; nil if no layer names a store.
    ///
    /// A path in the file is relative to `directory`, the file's directory.
    func store(in directory: String) -> StoreSetting? {
        guard let text = reader.string(forKey: "store") else { return nil }
        let isInFile = overrides.store == nil && (environment["FORGEBUS_STORE"] ?? "").isEmpty
        return StoreSetting(text, in: isInFile ? directory : ".")
    }

    private func endpoints(_ list: EndpointList) -> [String]? { reader.stringArray(forKey: ConfigKey(list.path)) }

    /// The merged configuration of a worker with these keys, and the limits of its store.
    ///
    /// An invalid value from an override or from the environment is recorded in `problems`.
    func configuration(_ keys: WorkerKeys, _ problems: Problems) -> NumberSetting.Target {
        var target = NumberSetting.Target(configuration: keys.configuration)
        if let name = name(problems) { target.name = name }
        noteOldVariables(problems)
        for setting in NumberSetting.all {
            if let value = number(setting, problems) { setting.apply(&target, value) }
        }
        for list in EndpointList.allCases { apply(list, to: &target.configuration, problems) }
        // The variable can only name publishers without keys, and replaces the whole list of the file.
        if (environment[EndpointList.publishers.variable] ?? "").isEmpty {
            target.configuration.publishers += file.publishers
        }
        return target
    }

    /// Records each variable of a setting that was a number without a unit once: nobody would notice that it has no effect.
    private func noteOldVariables(_ problems: Problems) {
        for name in environment.keys.sorted() where name.hasPrefix("FORGEBUS_") {
            for suffix in ["_MS", "_BYTES"] where name.hasSuffix(suffix) {
                let plain = String(name.dropLast(suffix.count))
                let setting = [plain + "_SIZE", plain].lazy.compactMap { variable in
                    NumberSetting.all.first { $0.variable == variable }
                }.first
                guard let setting, let value = environment[name], !value.isEmpty else { continue }
                let example = suffix == "_MS" ? "30s" : "64MiB"
                problems.add(Errors.oldVariable(name, now: setting.variable, example))
            }
        }
    }

    private func apply(_ list: EndpointList, to configuration: inout WorkerConfiguration, _ problems: Problems) {
        let fallback = list == .listen ? [DefaultEndpoint.text(environment: environment)] : []
        for text in endpoints(list) ?? fallback {
            do throws(ConfigurationError) {
                try list.append(text, to: &configuration)
            } catch {
                problems.add(error.at(source(of: list)))
            }
        }
    }

    /// The option or environment variable that an invalid endpoint came from.
    ///
    /// An invalid endpoint never comes from the file: endpoints in the file were checked when the file was read.
    private func source(of list: EndpointList) -> String {
        if list == .previousListen, overrides.previousListen != nil { return "previous-listen" }
        guard list == .listen else { return list.variable }
        if overrides.listen != nil { return "listen" }
        return listen == nil ? "XDG_RUNTIME_DIR" : list.variable
    }

    /// Whether a layer names the worker.
    var isNamed: Bool { reader.string(forKey: "name") != nil }

    private func name(_ problems: Problems) -> String? {
        guard let text = reader.string(forKey: "name") else { return nil }
        guard let flaw = Names.flaw(in: text) else { return text }
        let source = overrides.name == nil ? "FORGEBUS_NAME" : "name"
        problems.add(Errors.notName(flaw).at(source))
        return nil
    }

    private func number(_ setting: NumberSetting, _ problems: Problems) -> Int? {
        guard let text = reader.string(forKey: ConfigKey(setting.path)) else { return nil }
        if let value = setting.value(of: text) { return value }
        // The drain time is the only number that an override can set: a time with its own unit, and not an integer.
        if setting.path == NumberSetting.drain.path, let drain = overrides.drain {
            problems.add(Errors.drainOutOfBounds(drain, hours: 24).at("drain"))
        } else {
            problems.add(Errors.notSetting(text, setting.key).at(setting.variable))
        }
        return nil
    }
}

extension WorkerSettings {
    fileprivate var values: [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        values[["forgebus", "name"]] = name.map { .text($0) }
        values[["forgebus", "store"]] = store.map { .text($0) }
        values[["forgebus", "listen"]] = listen.map { .texts($0) }
        values[["forgebus", "previous", "listen"]] = previousListen.map { .texts($0) }
        values[AbsoluteConfigKey(["forgebus"] + NumberSetting.drain.path)] = drain.map {
            .text("\(Int64(exactly: ($0 / .milliseconds(1)).rounded(.up)) ?? .max)ms")
        }
        return values
    }
}

extension WorkerSection {
    fileprivate var values: [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        values[["forgebus", "name"]] = name.map { .text($0) }
        values[["forgebus", "store"]] = store.map { .text($0) }
        for (list, texts) in endpoints { values[AbsoluteConfigKey(["forgebus"] + list.path)] = .texts(texts) }
        for setting in NumberSetting.all {
            let key = AbsoluteConfigKey(["forgebus"] + setting.path)
            values[key] = numbers[setting.variable].map { .text(setting.text(of: $0)) }
        }
        return values
    }
}

extension ConfigValue {
    // Numbers are texts in every layer, because they are texts in the environment.
    fileprivate static func text(_ text: String) -> ConfigValue { ConfigValue(.string(text), isSecret: false) }
    fileprivate static func texts(_ texts: [String]) -> ConfigValue {
        ConfigValue(.stringArray(texts), isSecret: false)
    }
}

extension ConfigurationError {
    /// The same error; its ``ConfigurationError/key`` is the option or environment variable with the invalid value.
    fileprivate func at(_ key: String) -> ConfigurationError {
        var error = self
        error.key = key
        return error
    }
}
