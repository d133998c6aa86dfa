module Puppet::Parser::Functions
  newfunction(:profile_members, type: :rvalue, arity: 1) do |args|
    host = lookupvar('hostname').to_s
    stem = host[/\A[a-z]+/] || host
    (1..Integer(args[0])).map { |n| "#{stem}#{n}" }.reject { |name| name == host }.first(3)
  end
end
