/// Requests that steer runs, monitors and the worker itself.
extension Request {
    static func cancel(_ frames: Frames) throws(BusError) -> (Command, AttributeReader) {
        let run = try RunID(bytes: frames.subject)
        let attributes = try AttributeReader(frames.attributes, of: .cancel)
        let durability: Durability? = try attributes.choice("durability")
        let reason = try reason(in: frames.body, of: .cancel)
        return (.cancel(CancelRequest(run: run, reason: reason, durability: durability)), attributes)
    }

    static func redrive(_ frames: Frames) throws(BusError) -> (Command, AttributeReader) {
        let run = try RunID(bytes: frames.subject)
        let attributes = try AttributeReader(frames.attributes, of: .redrive)
        return (.redrive(RedriveRequest(run: run, durability: try attributes.choice("durability"))), attributes)
    }

    static func mode(_ frames: Frames) throws(BusError) -> (Command, AttributeReader) {
        let monitors = try NamePattern(bytes: frames.subject)
        let attributes = try AttributeReader(frames.attributes, of: .mode)
        let time = try attributes.duration("ttl_ms", atLeast: 1, atMost: WireLimits.timeToLive)
        let timeToLive = try attributes.required("ttl_ms", time)
        let screen = try screen(in: frames.body)
        return (.mode(ModeRequest(monitors, screen: screen, for: timeToLive)), attributes)
    }

    /// The screen of `{"screen": …}`, which has no default: absent is not the same as none.
    private static func screen(in body: ArraySlice<UInt8>) throws(BusError) -> String? {
        let object = try object(in: body, of: .mode, as: "the screen")
        switch object["screen"] {
        case .null?: return nil
        case .string(let name)? where (1...WireLimits.screenSizeInBytes).contains(name.utf8.count): return name
        case .string?, .bool?, .integer?, .number?, .array?, .object?, nil:
            throw BusError(
                .badBody,
                "The body of MODE has no `screen` that is null or a string of 1 to 256 bytes.",
                next: "Send {\"screen\":\"NAME\"}, or {\"screen\":null} for none."
            )
        }
    }

    static func admin(_ frames: Frames) throws(BusError) -> (Command, AttributeReader) {
        let verb = try Name(bytes: frames.subject)
        let attributes = try AttributeReader(frames.attributes, of: .admin)
        let arguments = try object(in: frames.body, of: .admin, as: "the arguments")
        return (.admin(AdminRequest(verb, arguments: arguments)), attributes)
    }
}
