// What a program writes that defines a gate or a seed.
@_exported public import struct ForgeBusProtocol.GateRule
@_exported public import enum ForgeBusProtocol.ValueType
