type Net::Interface = Struct[{ address => Net::Address, Optional[mtu] => Integer[68, 9000], Optional[routes] => Hash[Net::Address, Net::Address] }]
