# frozen_string_literal: true

# Loads the whole Ruby side: the part of Puppet's Ruby API that functions and templates use. It
# needs only CRuby >= 3.1 and its standard library.

require 'json'
require 'erb'
require 'set'
require 'stringio'

%w[
  ruby31 sorting unavailable channel puppet_errors puppet_values puppet_types puppet_tags puppet_resource lent lazy_hash containers wire kept_answers repeated_questions files patterns loaded kept_files require
  puppet_node puppet_api absent commands puppet_modes puppet_util puppet_catalog variables scope functions3 dispatch functions4 puppet_loaders puppet_adapters puppet_type_tools puppet_lookup data_types serialization template volatile
  altered ruby40 hints requests
].each { |name| require_relative name }
