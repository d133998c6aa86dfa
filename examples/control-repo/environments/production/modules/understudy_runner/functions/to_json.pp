# Prints a value as JSON.
#
# @param value the value
function understudy_runner::to_json(Data $value) >> String {
  case $value {
    Hash: {
      $pairs = $value.map |$key, $one| { "${understudy_runner::to_json($key)}: ${understudy_runner::to_json($one)}" }
      "{${join($pairs, ', ')}}"
    }
    Array: {
      $values = $value.map |$one| { understudy_runner::to_json($one) }
      "[${join($values, ', ')}]"
    }
    String: {
      $escaped = regsubst($value, '(["\\\\])', '\\\\\1', 'G')
      "\"${escaped}\""
    }
    Undef: { 'null' }
    default: { String($value) }
  }
}
