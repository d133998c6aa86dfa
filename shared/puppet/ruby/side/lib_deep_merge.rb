# frozen_string_literal: true

require 'deep_merge/core'

class Hash
  # The gem's methods of Hash. All change `self` and return it. Without `!`, values that cannot be
  # merged are kept.
  { deep_merge: { preserve_unmergeables: true }, deep_merge!: { preserve_unmergeables: false },
    ko_deep_merge!: { preserve_unmergeables: false, knockout_prefix: DeepMerge::DEFAULT_FIELD_KNOCKOUT_PREFIX } }.each do |name, defaults|
    define_method(name) { |source, options = {}| DeepMerge.deep_merge!(source, self, defaults.merge(options)) }
  end
end
