# frozen_string_literal: true

require 'socket'

# Names are not looked up: there is no network.
class Resolv
  extend Understudy::NoNetwork

  ResolvError = Class.new(StandardError)
  ResolvTimeout = Class.new(StandardError)

  class DNS
    extend Understudy::NoNetwork
    Config = Class.new
    Resource = Module.new
  end

  class Hosts
    extend Understudy::NoNetwork
  end

  class IPv4
    Regex256 = /0|1(?:[0-9][0-9]?)?|2(?:[0-4][0-9]?|5[0-5]?|[6-9])?|[3-9][0-9]?/
    Regex = /\A((?x:#{Regex256}))\.((?x:#{Regex256}))\.((?x:#{Regex256}))\.((?x:#{Regex256}))\z/
  end
end
