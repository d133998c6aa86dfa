type Profile::Person = Struct[{
  uid              => Integer[1000],
  key              => String[1],
  Optional[groups] => Array[String],
  Optional[ensure] => Enum[present, absent],
  Optional[shell]  => Stdlib::Absolutepath,
}]
