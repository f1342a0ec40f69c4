// A program needs only `import ForgeBusClient`: these exports add the protocol's types, endpoints and keys.
@_exported public import ForgeBusProtocol

@_exported public import struct ZeroMQ.Certificate
@_exported public import struct ZeroMQ.CurveClient
@_exported public import struct ZeroMQ.Endpoint
@_exported public import struct ZeroMQ.KeyPair
@_exported public import struct ZeroMQ.PublicKey
