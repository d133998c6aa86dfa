Puppet::Functions.create_function(:'profile::share', Puppet::Functions::InternalFunction) do
  # Part of the node's memory: share('50%'), share(0.5)
  dispatch(:percent) do
    scope_param
    param 'Pattern[/\A\d+%\z/]', :share
    optional_param "Enum['M', 'G', 'B']", :unit
  end
  dispatch(:fraction) do
    scope_param
    param 'Float[0, 1]', :share
    optional_param "Enum['M', 'G', 'B']", :unit
  end

  UNITS = { 'B' => 1, 'M' => 1 << 20, 'G' => 1 << 30 }.freeze

  def percent(scope, share, unit = 'M')
    fraction(scope, share.chomp('%').to_f / 100, unit)
  end

  def fraction(scope, share, unit = 'M')
    total = scope['facts'].dig('memory', 'system', 'total_bytes') or raise ArgumentError, 'no memory'
    amount = (total * share / UNITS.fetch(unit)).floor
    unit == 'B' ? amount : "#{amount}#{unit}"
  end
end
