type Broken::Shape = Struct[{ sides => Array[Integer], Optional[name] => String[1] }]
