# frozen_string_literal: true

require 'net/http'

module Net
  FTP = Class.new(Protocol)
  FTPError = Class.new(StandardError)
end
