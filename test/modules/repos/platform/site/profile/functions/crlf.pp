function profile::crlf(String $text) >> String { regsubst($text, "(?<!\r)\n", "\r\n", 'G') }
