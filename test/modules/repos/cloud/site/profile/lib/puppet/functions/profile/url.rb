# frozen_string_literal: true

# An SQLAlchemy URL of a service's database.
Puppet::Functions.create_function(:'profile::url') do
  # @param service the user and the database
  dispatch :of_service do
    param 'String[1]', :service
    param 'Variant[String, Sensitive[String]]', :password
    param 'String[1]', :host
    optional_param 'Hash[String, Scalar]', :options
    return_type 'String'
  end

  def of_service(service, password, host, options = {})
    secret = password.respond_to?(:unwrap) ? password.unwrap : password
    query = { 'charset' => 'utf8' }.merge(options).map { |name, value| "#{name}=#{value}" }.join('&')
    format('mysql+pymysql://%<user>s:%<secret>s@%<host>s/%<user>s?%<query>s', user: service, secret: escape(secret), host: host, query: query)
  end

  def escape(text)
    text.gsub(/[^a-zA-Z0-9_.~-]/) { |char| format('%%%02X', char.ord) }
  end
end
