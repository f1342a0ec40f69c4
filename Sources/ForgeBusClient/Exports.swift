// One import serves a caller: the words of the protocol, and what names a worker's place and the keys of both.
@_exported public import ForgeBusProtocol

@_exported public import struct ZeroMQ.Certificate
@_exported public import struct ZeroMQ.CurveClient
@_exported public import struct ZeroMQ.Endpoint
@_exported public import struct ZeroMQ.KeyPair
@_exported public import struct ZeroMQ.PublicKey
