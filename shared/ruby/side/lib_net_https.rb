# frozen_string_literal: true

require 'net/http'
