function broken::half(Integer $n) >> Integer { $n / 2.0 }
