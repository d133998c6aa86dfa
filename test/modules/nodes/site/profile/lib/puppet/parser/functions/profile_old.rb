module Puppet::Parser::Functions
  newfunction(:profile_old, :type => :rvalue, :arity => -2) do |args|
    "#{args.flatten.join('+')} on #{lookupvar('::kernel')} in #{resource_name rescue 'somewhere'} #{function_sprintf(['%03d', 7])}"
  end
end
