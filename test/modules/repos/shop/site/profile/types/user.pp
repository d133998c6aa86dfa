type Profile::User = Struct[{
  uid              => Integer[1000],
  Optional[groups] => Array[Pattern[/\A(--)?[a-z]+\z/]],
  Optional[shell]  => Profile::Path,
  Optional[ensure] => Profile::Ensure,
}]
