import ForgeBusProtocol
import HTTPTypes

/// Describes the API as an OpenAPI 3.1 document, made from the routes themselves.
enum OpenAPI {
    /// The document of a gateway of one worker, and of one that serves a fleet.
    static let (document, fleetDocument) = (made(of: Route.all), made(of: Route.all(withFleet: true)))

    private static func made(of routes: [Route]) -> JSONObject {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "ForgeBus gateway",
                "version": .string(Release.version),
                "summary": "Notifications, runs and decisions of a ForgeBus worker over HTTP.",
                "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
            ],
            "servers": [["url": "/"]],
            "security": [["bearer": []]],
            "paths": .object(paths(of: routes)),
            "components": [
                "securitySchemes": ["bearer": ["type": "http", "scheme": "bearer"]],
                "schemas": .object(Schemas.all),
                "responses": .object(problems),
            ],
        ]
    }

    private static func paths(of routes: [Route]) -> JSONObject {
        var paths = JSONObject()
        for route in routes {
            var item = paths[route.path.description]?.object ?? [:]
            item[route.method.rawValue.lowercased()] = .object(operation(route))
            paths[route.path.description] = .object(item)
        }
        paths["/v1/openapi.json"] = [
            "get": [
                "operationId": "openAPI", "summary": "This document.", "tags": ["openapi"],
                "responses": responses(["200": content("application/json", ["type": "object"])]),
            ]
        ]
        return paths
    }

    private static func operation(_ route: Route) -> JSONObject {
        var parameters: [JSONValue] = route.path.parameters.map { name in
            ["name": .string(name), "in": "path", "required": true, "schema": name == "pattern" ? pattern : Self.name]
        }
        for name in route.parameters {
            parameters.append(["name": .string(name), "in": "query", "schema": attribute(name)])
        }
        if route.takesRequestID {
            parameters.append([
                "name": "Idempotency-Key", "in": "header",
                "schema": ["type": "string", "pattern": "^(\"[!-~]{1,128}\"|[!-~]{1,128})$"],
                "description": .string(
                    route.answer == .change
                        ? "The id of the request. A notification that is sent again may cause one more cycle."
                        : "The id of the request. The worker carries out requests with the same id only once."
                ),
            ])
        }
        if route.waits {
            parameters.append([
                "name": "Prefer", "in": "header", "schema": ["type": "string"],
                "description": "`wait=N`: how many seconds to wait for the result, at most 300.",
            ])
        }
        var operation: JSONObject = [
            "operationId": .string(route.name), "summary": .string(route.summary), "tags": [.string(route.tag)],
        ]
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        operation["requestBody"] = requestBody(route)
        operation["responses"] = responses(successes(route), beyond: route)
        return operation
    }

    private static func requestBody(_ route: Route) -> JSONValue? {
        switch route.body {
        case .none: return nil
        case .change:
            // One content type, because generators make no usable code of a choice between any JSON and any bytes.
            return [
                "description": "The change, for the monitors' actions; other content types are taken as bytes.",
                "content": ["application/json": ["schema": ["description": "Any JSON, or a CloudEvent."]]],
            ]
        case .seeds: return ["content": ["application/json": ["schema": ["type": "object"]]]]
        case .member(let name):
            let value: JSONValue = name == "reason" ? ["type": "string"] : [:]
            let schema: JSONValue = [
                "type": "object", "properties": .object(JSONObject(unique: [.init(key: name, value: value)])),
                "additionalProperties": false,
            ]
            return ["content": ["application/json": ["schema": schema]]]
        }
    }

    /// The answers of a route that are no problems, by their status.
    private static func successes(_ route: Route) -> JSONObject {
        switch route.answer {
        case .item, .page: ["200": json(route.schema)]
        case .report:
            [
                "200": streamed("What each worker says, or a stream of it.", route.schema),
                "202": json(route.verb == "RUN" ? "RollOutAccepted" : route.schema, "Accepted, and not finished yet."),
            ]
        case .verdict:
            ["200": json("Verdict"), "202": json("Verdict", "Kept or counted; the signal is not decided yet.")]
        case .change:
            [
                "200": json("Evaluation", "Evaluated, as far as the sender waited."),
                "202": json("NotificationAccepted", "Accepted; the monitors evaluate now."),
            ]
        case .run:
            [
                "200": json("RunResult", "The run has ended."),
                "202": json("RunAccepted", "Accepted, and not finished yet."),
            ]
        case .events: ["200": content("text/event-stream", ["type": "string"])]
        case .followedRun:
            [
                "200": streamed("The run, or a stream of its changes.", "Run"),
                "204": [
                    "description": "The run has ended, and `Last-Event-ID` says that the client has its result."
                ],
            ]
        }
    }

    private static func responses(_ successes: JSONObject, beyond route: Route? = nil) -> JSONValue {
        var responses = successes
        for status in statuses(route) {
            responses["\(status.code)"] = ["$ref": .string("#/components/responses/\(status.code)")]
        }
        return .object(responses)
    }

    /// The statuses of the problems that a route can answer.
    private static func statuses(_ route: Route?) -> [HTTPResponse.Status] {
        var statuses: [HTTPResponse.Status] = [.unauthorized, .forbidden, .misdirectedRequest]
        guard let route else { return statuses }
        statuses += [
            .badRequest, .notFound, .requestTimeout, .contentTooLarge, .tooManyRequests, .internalServerError,
            .badGateway, .serviceUnavailable, .gatewayTimeout,
        ]
        if route.method == .post { statuses += [.conflict, .unsupportedMediaType, .unprocessableContent] }
        if route.answer == .verdict { statuses.append(.gone) }
        return statuses
    }

    // MARK: Parts

    private static func json(_ schema: String, _ meaning: String = "Done.") -> JSONValue {
        content("application/json", Schemas.reference(schema), meaning)
    }

    private static func streamed(_ meaning: String, _ schema: String) -> JSONValue {
        [
            "description": .string(meaning),
            "content": [
                "application/json": ["schema": Schemas.reference(schema)],
                "text/event-stream": ["schema": ["type": "string"]],
            ],
        ]
    }

    private static func content(_ type: String, _ schema: JSONValue, _ meaning: String = "Done.") -> JSONValue {
        let content = JSONObject(unique: [.init(key: type, value: ["schema": schema])])
        return ["description": .string(meaning), "content": .object(content)]
    }

    private static let name: JSONValue = [
        "type": "string", "maxLength": .integer(Int64(Name.maximumSizeInBytes)),
        "pattern": "^[A-Za-z0-9_-]{1,64}(\\.[A-Za-z0-9_-]{1,64})*$",
    ]

    private static let pattern: JSONValue = ["type": "string", "maxLength": .integer(Int64(Name.maximumSizeInBytes))]

    /// The schema of a query parameter, with the limits that the bus has for the attribute.
    private static func attribute(_ name: String) -> JSONValue {
        switch name {
        case "limit":
            ["type": "integer", "minimum": 1, "maximum": .integer(Int64(WireLimits.pageSize)), "default": 100]
        case "order": ["type": "string", "enum": words(ListOrder.self)]
        case "durability": ["type": "string", "enum": words(Durability.self)]
        case "state": ["type": "string", "enum": words(ListFilter.State.self)]
        case "pipeline", "topic", "failing": Self.name
        case "since": ["type": "string", "format": "date-time"]
        case "stop_after": ["type": "integer", "minimum": 1]
        case "batches": ["type": "string", "pattern": "^[1-9][0-9]*%?(,[1-9][0-9]*%?)*$"]
        case "deadline_ms": milliseconds(from: 1, to: WireLimits.duration)
        case "older_than_ms": milliseconds(from: 0, to: WireLimits.duration)
        case "keep_ms": milliseconds(from: 0, to: WireLimits.keep)
        case "ttl_ms": milliseconds(from: 1, to: WireLimits.timeToLive)
        case "cursor": ["type": "string", "maxLength": .integer(Int64(ListRequest.longestCursor))]
        default: ["type": "string", "maxLength": .integer(Int64(Name.maximumSizeInBytes))]
        }
    }

    private static func milliseconds(from least: Int64, to most: Duration) -> JSONValue {
        ["type": "integer", "minimum": .integer(least), "maximum": .integer(most.milliseconds)]
    }

    private static func words<Word: RawRepresentable & CaseIterable>(_: Word.Type) -> JSONValue
    where Word.RawValue == String { .array(Word.allCases.map { .string($0.rawValue) }) }

    /// A response for each status that a problem can have; its description lists the codes.
    private static var problems: JSONObject {
        var codes: [Int: [String]] = [:]
        for entry in Problem.entries {
            codes[Problem.status(of: entry.code).code, default: []].append("`\(entry.code)`: \(entry.meaning)")
        }
        var responses = JSONObject()
        for (status, meanings) in codes.sorted(by: { $0.key < $1.key }) {
            let schema: JSONValue = ["schema": ["$ref": "#/components/schemas/Problem"]]
            responses["\(status)"] = [
                "description": .string(meanings.joined(separator: " ")),
                "content": .object(JSONObject(unique: [.init(key: Problem.mediaType, value: schema)])),
            ]
        }
        return responses
    }
}

extension Route {
    /// Whether the sender may wait for a result, with `Prefer: wait=N`.
    var waits: Bool { answer == .run || answer == .report || answer == .change || answer == .followedRun }
}

extension API {
    /// The documents of the API itself; nil if the path is not one of them.
    func document(_ request: APIRequest) throws(BusError) -> APIResponse? {
        guard let document = document(at: request.path) else { return nil }
        guard request.method == .get || request.method == .head else {
            throw Errors.unknownMethod(request.method.rawValue, allowed: ["GET", "HEAD"])
        }
        return APIResponse(.ok, document)
    }

    private func document(at path: [String]) -> JSONObject? {
        if path == ["v1", "openapi.json"] { return fleet == nil ? OpenAPI.document : OpenAPI.fleetDocument }
        guard path.count == 3, path[0] == "v1", path[1] == "problems",
            let entry = Problem.entries.first(where: { $0.code.rawValue == path[2] })
        else { return nil }
        return [
            "code": .string(entry.code.rawValue), "meaning": .string(entry.meaning),
            "status": .integer(Int64(Problem.status(of: entry.code).code)), "retryable": .bool(entry.isRetryable),
        ]
    }
}
