type Base::Tree = Hash[String, Variant[Base::Tree, Scalar]]
