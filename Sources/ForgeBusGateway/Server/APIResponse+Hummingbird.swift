import HTTPTypes
import Hummingbird
import NIOCore

extension APIResponse {
    /// The response as the server sends it; `isHead` leaves out the body.
    func response(isHead: Bool) -> Response {
        var fields = fields
        for (name, value) in Self.common where fields[name] == nil { fields[name] = value }
        switch body {
        case .none: return Response(status: status, headers: fields)
        case .bytes(let bytes, let type):
            fields[.contentType] = type
            let response = Response(
                status: status,
                headers: fields,
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            )
            return isHead ? response.createHeadResponse() : response
        case .events(let send):
            fields[.contentType] = "text/event-stream"
            guard !isHead else { return Response(status: status, headers: fields) }
            let body = ResponseBody { writer in
                try await send { try await writer.write(ByteBuffer(string: $0.text)) }
                try await writer.finish(nil)
            }
            return Response(status: status, headers: fields, body: body)
        }
    }

    /// The fields of every answer: it is private, it is what its type says, and no page may show or load it.
    private static let common: [(HTTPField.Name, String)] = [
        (.cacheControl, "no-store"),
        (.xContentTypeOptions, "nosniff"),
        (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
        (HTTPField.Name("Referrer-Policy")!, "same-origin"),
        (HTTPField.Name("X-Frame-Options")!, "DENY"),
        (HTTPField.Name("Cross-Origin-Resource-Policy")!, "same-origin"),
    ]
}
