# The nth number of Fibonacci.
function profile::fib(Integer[0] $n) >> Integer {
  if $n < 2 { return($n) }
  Integer[2, $n].reduce([0, 1]) |$pair, $i| { [$pair[1], $pair[0] + $pair[1]] }[1]
}
