# frozen_string_literal: true

require 'socket'
require 'uri'

# `URI.open` is there and fails.
module OpenURI
  HTTPError = Class.new(StandardError)
end

URI.singleton_class.include(Understudy::NoNetwork)
