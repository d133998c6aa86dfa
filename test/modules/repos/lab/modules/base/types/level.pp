type Base::Level = Variant[Integer[0, 5], Enum[low, high]]
