Puppet::Type.newtype(:profile_thing) do
  ensurable
  def self.title_patterns
    [[/\A([^:]+):([^:]+)\z/, [[:name], [:part]]], [/\A([^:]+)\z/, [[:name]]]]
  end
  newparam(:name, namevar: true)
  newparam(:part, namevar: true)
  newproperty(:size)
  newproperty(:mode) { newvalues(:fast, :slow) }
end
