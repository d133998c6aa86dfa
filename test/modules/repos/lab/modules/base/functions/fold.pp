# Paths to all that is no container, with it.
function base::fold(Any $data, String $path = '') >> Array[String] {
  case $data {
    Hash: { $data.reduce([]) |$all, $pair| { $all + base::fold($pair[1], "${path}.${pair[0]}") } }
    Array: { $data.map |$index, $value| { base::fold($value, "${path}[${index}]") }.flatten }
    default: { ["${path}=${data}"] }
  }
}
