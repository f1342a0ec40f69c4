import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A connection of the gateway: it has a place among the ``Connections``, and its requests are followed.
struct GatewayChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let connections: Connections

    /// Whether the first bytes of a connection can be read as HTTP: without TLS.
    let isPlain: Bool

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        var place = connections.open(channel, .fresh)
        if place == .later { place = connections.open(channel, isPlain && channel.knock == .probe ? .probe : .other) }
        return switch place {
        case .common, .reserve: serve(channel, logger)
        case .later, .none: refuse(channel)
        }
    }

    private func refuse(_ channel: any Channel) -> EventLoopFuture<Base.Value> {
        channel.close(promise: nil)
        return channel.eventLoop.makeFailedFuture(ChannelError.eof)
    }

    private func serve(_ channel: any Channel, _ logger: Logger) -> EventLoopFuture<Base.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(ConnectionHandler(connections), position: .after(decoder))
            return value
        }
    }

    func handle(value: Base.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

/// Turns away, in a flood, the connections that would find no place, before the server makes anything of them.
///
/// It is the first handler of the channel that accepts connections.
final class Doorkeeper: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    private let connections: Connections
    private let isPlain: Bool

    init(_ connections: Connections, isPlain: Bool) { (self.connections, self.isPlain) = (connections, isPlain) }

    /// How long a connection has to send its first bytes.
    private static let patience = TimeAmount.milliseconds(20)

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        guard !connections.isOpen(to: channel) else { return context.fireChannelRead(data) }
        let server = NIOLoopBound(context, eventLoop: context.eventLoop)
        let look: @Sendable (Bool) -> Bool = { [connections, isPlain] isLast in
            switch isPlain ? channel.knock : .other {
            case .fresh where !isLast: return false
            case .fresh, .other:
                _ = connections.open(channel, .other)
                channel.close(promise: nil)
            case .probe:
                server.eventLoop.execute {
                    guard server.value.channel.isActive else { return channel.close(promise: nil) }
                    server.value.fireChannelRead(NIOAny(channel))
                    server.value.fireChannelReadComplete()
                }
            }
            return true
        }
        channel.eventLoop.execute {
            guard !look(false) else { return }
            channel.eventLoop.scheduleTask(in: Self.patience) { _ = look(true) }
        }
    }
}

/// Tells the ``Connections`` where the requests of one connection stand, and closes the connection after its last answer.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let connections: Connections
    private var exchange = Exchange()

    init(_ connections: Connections) { self.connections = connections }

    /// How long a client that still sends has to read the last answer.
    private static let linger = TimeAmount.seconds(1)

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        let arrival: Exchange.Arrival
        switch part {
        case .head(let head):
            arrival = exchange.headArrived()
            part = .head(head.namingHosts)
            tell(of: context.channel)
        case .body: arrival = exchange.bodyArrived()
        case .end:
            arrival = exchange.endArrived()
            tell(of: context.channel)
        }
        switch arrival {
        case .pass: context.fireChannelRead(wrapInboundOut(part))
        case .drop: break
        case .close: context.close(promise: nil)
        }
    }

    private func tell(of channel: any Channel) {
        if exchange.isQuiet { connections.becameQuiet(channel) } else { connections.becameBusy(channel) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            if exchange.answerBegan(isLast: head.headers["connection"].contains("close")) {
                head.headers.replaceOrAdd(name: "connection", value: "close")
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            let channel = context.channel
            let next = exchange.answerEnded()
            tell(of: channel)
            switch next {
            case .serve: context.write(data, promise: promise)
            case .close:
                let sent = promise ?? context.eventLoop.makePromise()
                sent.futureResult.whenComplete { _ in channel.close(promise: nil) }
                context.write(data, promise: sent)
            case .linger:
                let sent = promise ?? context.eventLoop.makePromise()
                sent.futureResult.whenComplete { _ in
                    channel.eventLoop.scheduleTask(in: Self.linger) { channel.close(promise: nil) }
                }
                context.write(data, promise: sent)
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { connections.left(context.channel) }
        context.fireUserInboundEventTriggered(event)
    }
}

/// A request, with the connection that it came by.
struct ConnectionContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

extension Channel {
    /// What the bytes that have arrived, and that nobody has read yet, say of the connection.
    fileprivate var knock: Connections.Book.Knock {
        let sent = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            var bytes = [UInt8](repeating: 0, count: 16)
            let count = recv(socket, &bytes, bytes.count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
        guard let sent, !sent.isEmpty else { return .fresh }
        let probes = ["GET /livez", "GET /readyz", "HEAD /livez", "HEAD /readyz"]
        return probes.contains { sent.hasPrefix($0) } ? .probe : .other
    }
}

extension HTTPRequestHead {
    /// The head with the host of an absolute target (`GET http://host/path`) as a second header `Host`, if the two differ.
    ///
    /// Whatever reads the request later knows only the path of the target.
    fileprivate var namingHosts: HTTPRequestHead {
        guard !uri.hasPrefix("/"), let scheme = uri.firstRange(of: "://") else { return self }
        let authority = uri[scheme.upperBound...].prefix { !"/?#".contains($0) }
        guard headers["host"].contains(where: { $0.lowercased() != authority.lowercased() }) else { return self }
        var head = self
        head.headers.add(name: "Host", value: String(authority))
        return head
    }
}
