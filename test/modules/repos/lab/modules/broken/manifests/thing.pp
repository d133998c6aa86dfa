define broken::thing(Enum[small, large] $size, Broken::Shape $shape) { }
