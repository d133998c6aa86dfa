# frozen_string_literal: true

module Puppet
  class Resource
    # The catalog under construction; one for each compile.
    class Catalog
      extend Understudy::Refusing

      class DuplicateResourceError < Puppet::Error
        include Puppet::ExternalFileError
      end

      def self.instance
        @instance ||= new
      end

      def tags
        Understudy.ask('tags', 'which' => 'all')
      end

      def tagged?(*names)
        names.flatten.any? { |name| tags.include?(name.to_s.downcase) }
      end

      def classes
        Understudy.ask('tags', 'which' => 'classes')
      end

      # Returns the resource of a reference, or nil.
      def resource(type, title = nil)
        Parser::Resource.find(*Resource.type_and_title(type, title))
      end

      # Returns all resources declared so far.
      def resources
        resource_keys.filter_map { |name| Parser::Resource.find(*name) }
      end
      alias vertices resources

      def vertex?(resource)
        !Parser::Resource.find(resource.type, resource.title.to_s).nil?
      end

      def resource_keys
        Understudy.ask('resources')
      end

      def resource_refs
        resource_keys.map { |type, title| "#{type}[#{title}]" }
      end

      # Adds resources that nothing contains, and that the compile neither evaluates nor finishes.
      def add_resource(*resources)
        resources.each do |given|
          resource = given.is_a?(Parser::Resource) ? given : Parser::Resource.like(given)
          resource.__send__(:declare)
          resource.__send__(:change, 'loose', {})
        end
      end

      # Removes resources and their relationships. Their code does not run unless the compiler keeps
      # them.
      def remove_resource(*resources)
        resources.each { |resource| resource.__send__(:remove, 'catalog') }
      end

      def environment_instance
        Node::Environment.instance
      end

      def environment
        environment_instance.to_s
      end

      def name
        Node.of_compile.name
      end

      def host_config?
        true
      end

      def code_id
        nil
      end

      def catalog_format
        2
      end

      refuse_methods :add_edge, :edge?, :edges, :adjacent, :container_of, :remove_vertex!, :add_class, :tag, :version=,
                     :create_resource, :alias, :to_ral, :to_resource, :apply, :filter, :write_graph,
                     lacking: 'hand in the edges and the form of a catalog'
      refuse_methods :catalog_uuid, :version, lacking: 'knowledge of what a catalog is called, which is the same for all that are alike'
    end
  end

  module Parser
    # `scope.compiler`; one for each compile.
    class Compiler
      extend Understudy::Refusing

      def self.instance
        @instance ||= new
      end

      def topscope
        @topscope ||= Scope.new(top: true)
      end

      def environment
        Node::Environment.instance
      end

      def catalog
        Puppet::Resource::Catalog.instance
      end

      def node
        Node.of_compile
      end

      # The declared resources, but for stage main and the settings. Code may delete from the list.
      def resources
        Declared.new(catalog.resources.reject { |resource| resource.stage? || resource.ref == 'Class[Settings]' })
      end

      # The list of resources still to be evaluated and finished.
      class Declared < Array
        def delete(resource)
          resource.__send__(:remove, 'compiler') if resource.is_a?(Resource)
          super
        end
      end

      # Declares a resource in the caller's scope.
      def add_resource(_scope, resource)
        resource.__send__(:declare)
      end

      def findresource(*args)
        catalog.resource(*args)
      end

      def loaders
        Pops::Loaders.instance
      end

      # Names, or a hash with parameters.
      def evaluate_classes(classes, _scope, _lazy = true)
        return Understudy.call_function('include', [*classes]) unless classes.is_a?(Hash)

        Understudy.call_function('create_resources', ['class', classes.transform_values { |parameters| parameters || {} }])
        classes.keys.map { |name| catalog.resource('Class', name) }
      end

      def code_id
        nil
      end

      refuse_methods :add_collection, :add_override, :add_relationship, :collections, :relationships, :resource_overrides, :compile,
                     :add_class, :evaluate_ast_node, :evaluate_node_classes, :evaluate_relationships, :with_context_overrides, :newscope,
                     lacking: 'hand in how a compile goes on'
    end
  end
end
