# frozen_string_literal: true

require 'net/protocol'

module Net
  FTPError = Class.new(ProtocolError)

  class FTP < Protocol
    extend Understudy::Refusing
    refuse_all :new, :open
  end
end
