# frozen_string_literal: true

# The names of Puppet 8's classes and modules, one a line, without `Puppet::`. A class has its
# superclass behind `<` (an Object when none is named); the methods that a module gives to objects
# follow its name. Made from the constants of Puppet 8.11 and of its resource API.
Understudy::Absent::NAMES = <<~NAMES
  Agent <
  Agent::Disabler: disable disable_message disabled? enable
  Agent::Locker: lock lockfile_path running?
  Agent::RunTimeoutError < Exception
  AlreadyImportedError < Puppet::ImportError
  Application <
  Application::CommandLineArgs <
  ApplicationSupport
  Coercion
  CompilableResourceType: is_3x_ruby_plugin?
  Concurrent
  Concurrent::Lock <
  Concurrent::Synchronized
  Concurrent::ThreadLocalSingleton: singleton
  Configurer <
  Configurer::Downloader <
  Configurer::FactHandler: encode_facts facts_for_uploading find_facts
  Configurer::PluginHandler <
  Confine <
  Confine::Any < Puppet::Confine
  Confine::Boolean
  Confine::Exists < Puppet::Confine
  Confine::False < Puppet::Confine
  Confine::Feature < Puppet::Confine
  Confine::True < Puppet::Confine
  Confine::Variable < Puppet::Confine
  ConfineCollection <
  Confiner: confine confine_collection suitable?
  ConstantAlreadyDefined < Puppet::Error
  Context <
  Context::DuplicateRollbackMarkError < Puppet::Error
  Context::EmptyStack <
  Context::Stack <
  Context::StackUnderflow < Puppet::Error
  Context::TrustedInformation <
  Context::UndefinedBindingError < Puppet::Error
  Context::UnknownRollbackMarkError < Puppet::Error
  Daemon <
  DataBinding <
  DataBinding::Hiera < Puppet::Indirector::Hiera
  DataBinding::LookupError < Puppet::PreformattedError
  DataBinding::None < Puppet::Indirector::None
  DataBinding::RecursiveLookupError < Puppet::DataBinding::LookupError
  DataSync: checksum_insync? contents_sync date_matches? retrieve_checksum show_diff? write_temporarily
  DataTypes
  DataTypes::Error <
  DataTypes::TypeBuilder <
  DataTypes::TypeBuilderAPI <
  DevError < Puppet::Error
  Environments
  Environments::Cached <
  Environments::Cached::DefaultCacheExpirationService <
  Environments::Cached::Entry <
  Environments::Cached::MRUEntry < Puppet::Environments::Cached::Entry
  Environments::Cached::NotCachedEntry < Puppet::Environments::Cached::Entry
  Environments::Combined <
  Environments::Directories <
  Environments::EnvironmentCreator: for
  Environments::EnvironmentLoader: clear_all get! guard unguard
  Environments::EnvironmentNotFound < Puppet::Error
  Environments::Static <
  Environments::StaticDirectory < Puppet::Environments::Static
  Environments::StaticPrivate < Puppet::Environments::Static
  Error < RuntimeError
  ErrorWithData < Puppet::Error
  Etc
  ExecutionFailure < Puppet::Error
  ExternalFileError: file file= line line= pos pos= puppetstack puppetstack= to_s
  Face <
  FacterImpl <
  FileBucket
  FileBucket::BucketError < RuntimeError
  FileBucket::Dipper <
  FileBucket::File <
  FileBucket::File::FileContents <
  FileBucket::File::StringContents <
  FileBucketFile
  FileBucketFile::File < Puppet::Indirector::Code
  FileBucketFile::Rest < Puppet::Indirector::REST
  FileBucketFile::Selector < Puppet::Indirector::Code
  FileServing <
  FileServing::Base <
  FileServing::Configuration <
  FileServing::Configuration::Parser <
  FileServing::Content < Puppet::FileServing::Base
  FileServing::Fileset <
  FileServing::Fileset::FileSetEntry <
  FileServing::HttpMetadata < Puppet::FileServing::Metadata
  FileServing::Metadata < Puppet::FileServing::Base
  FileServing::Metadata::MetaStat <
  FileServing::Metadata::WindowsStat < Puppet::FileServing::Metadata::MetaStat
  FileServing::Mount <
  FileServing::Mount::File < Puppet::FileServing::Mount
  FileServing::Mount::Locales < Puppet::FileServing::Mount
  FileServing::Mount::Modules < Puppet::FileServing::Mount
  FileServing::Mount::PluginFacts < Puppet::FileServing::Mount
  FileServing::Mount::Plugins < Puppet::FileServing::Mount
  FileServing::Mount::Scripts < Puppet::FileServing::Mount
  FileServing::Mount::Tasks < Puppet::FileServing::Mount
  FileServing::TerminusHelper: path2instance path2instances
  FileServing::TerminusSelector: select
  FileSystem
  FileSystem::AbsolutePathPattern < Puppet::FileSystem::PathPattern
  FileSystem::FileImpl <
  FileSystem::JRuby < Puppet::FileSystem::Posix
  FileSystem::MemoryFile <
  FileSystem::MemoryImpl <
  FileSystem::PathPattern <
  FileSystem::PathPattern::InvalidPattern < Puppet::Error
  FileSystem::Posix < Puppet::FileSystem::FileImpl
  FileSystem::RelativePathPattern < Puppet::FileSystem::PathPattern
  FileSystem::Uniquefile <
  FileSystem::Windows < Puppet::FileSystem::Posix
  Functions
  Functions::DispatcherBuilder <
  Functions::Function < Puppet::Pops::Functions::Function
  Functions::Function3x < Puppet::Functions::InternalFunction
  Functions::InternalDispatchBuilder < Puppet::Functions::DispatcherBuilder
  Functions::InternalFunction < Puppet::Functions::Function
  Functions::LocalTypeAliasesBuilder <
  Functions::PuppetFunction < Puppet::Functions::Function
  GettextConfig
  Graph
  Graph::Key <
  Graph::Prioritizer <
  Graph::RbTreeMap <
  Graph::RbTreeMap::Node <
  Graph::RelationshipGraph < Puppet::Graph::SimpleGraph
  Graph::SequentialPrioritizer < Puppet::Graph::Prioritizer
  Graph::SimpleGraph <
  HTTP
  HTTP::Client <
  HTTP::ConnectionError < Puppet::HTTP::HTTPError
  HTTP::DNS <
  HTTP::DNS::CacheEntry <
  HTTP::ExternalClient < Puppet::HTTP::Client
  HTTP::Factory <
  HTTP::HTTPError < Puppet::Error
  HTTP::Pool <
  HTTP::PoolEntry <
  HTTP::ProtocolError < Puppet::HTTP::HTTPError
  HTTP::Proxy
  HTTP::Redirector <
  HTTP::Resolver <
  HTTP::Resolver::SRV < Puppet::HTTP::Resolver
  HTTP::Resolver::ServerList < Puppet::HTTP::Resolver
  HTTP::Resolver::Settings < Puppet::HTTP::Resolver
  HTTP::Response <
  HTTP::ResponseConverter
  HTTP::ResponseError < Puppet::HTTP::HTTPError
  HTTP::ResponseNetHTTP < Puppet::HTTP::Response
  HTTP::RetryAfterHandler <
  HTTP::RouteError < Puppet::HTTP::HTTPError
  HTTP::SerializationError < Puppet::HTTP::HTTPError
  HTTP::Service <
  HTTP::Service::Ca < Puppet::HTTP::Service
  HTTP::Service::Compiler < Puppet::HTTP::Service
  HTTP::Service::FileServer < Puppet::HTTP::Service
  HTTP::Service::Puppetserver < Puppet::HTTP::Service
  HTTP::Service::Report < Puppet::HTTP::Service
  HTTP::Session <
  HTTP::Site <
  HTTP::TooManyRedirects < Puppet::HTTP::HTTPError
  HTTP::TooManyRetryAfters < Puppet::HTTP::HTTPError
  ImportError <
  Indirector: indirects
  Indirector::ClassMethods: indirection
  Indirector::Code < Puppet::Indirector::Terminus
  Indirector::DirectFileServer < Puppet::Indirector::Terminus
  Indirector::Envelope: expiration expiration= expired?
  Indirector::Exec < Puppet::Indirector::Terminus
  Indirector::Face < Puppet::Interface
  Indirector::FactSearch: compare_facts compare_timestamp node_matches? node_matches_option?
  Indirector::FileContent <
  Indirector::FileContent::File < Puppet::Indirector::DirectFileServer
  Indirector::FileContent::FileServer < Puppet::Indirector::FileServer
  Indirector::FileContent::Rest < Puppet::Indirector::REST
  Indirector::FileContent::Selector < Puppet::Indirector::Code
  Indirector::FileMetadata <
  Indirector::FileMetadata::File < Puppet::Indirector::DirectFileServer
  Indirector::FileMetadata::FileServer < Puppet::Indirector::FileServer
  Indirector::FileMetadata::Http < Puppet::Indirector::GenericHttp
  Indirector::FileMetadata::Rest < Puppet::Indirector::REST
  Indirector::FileMetadata::Selector < Puppet::Indirector::Code
  Indirector::FileServer < Puppet::Indirector::Terminus
  Indirector::GenericHttp < Puppet::Indirector::Terminus
  Indirector::Hiera < Puppet::Indirector::Terminus
  Indirector::Indirection <
  Indirector::JSON < Puppet::Indirector::Terminus
  Indirector::Memory < Puppet::Indirector::Terminus
  Indirector::Msgpack < Puppet::Indirector::Terminus
  Indirector::None < Puppet::Indirector::Terminus
  Indirector::Plain < Puppet::Indirector::Terminus
  Indirector::REST < Puppet::Indirector::Terminus
  Indirector::Request <
  Indirector::StoreConfigs < Puppet::Indirector::Terminus
  Indirector::Terminus <
  Indirector::ValidationError < Puppet::Error
  Indirector::Yaml < Puppet::Indirector::Terminus
  InfoService
  InfoService::ClassInformationService <
  InfoService::PlanInformationService <
  InfoService::TaskInformationService <
  Interface <
  Interface::Action <
  Interface::ActionBuilder <
  Interface::ActionManager: action action? actions deactivate_action get_action get_default_action
  Interface::DocGen: attr_doc
  Interface::FaceCollection
  Interface::FullDocs: author author= authors authors= copyright copyright_owner copyright_owner= copyright_years copyright_years= examples examples= license license= munge_copyright_year notes notes= short_description short_description=
  Interface::Option <
  Interface::OptionBuilder <
  Interface::OptionManager: add_option all_display_global_options display_global_option display_global_options get_option option option? options walk_inheritance_tree
  Interface::TinyDocs: _validate_summary build_synopsis description description= summary summary=
  LexError < RuntimeError
  LockError < Puppet::Error
  MetaType
  MetaType::Manager: allclear clear_misses eachtype loadall newtype rmtype type typeloader
  MissingCommand < Puppet::Error
  Module <
  Module::Error < Puppet::Error
  Module::FaultyMetadata < Puppet::Module::Error
  Module::IncompatibleModule < Puppet::Module::Error
  Module::IncompatiblePlatform < Puppet::Module::Error
  Module::InvalidFilePattern < Puppet::Module::Error
  Module::InvalidName < Puppet::Module::Error
  Module::MissingMetadata < Puppet::Module::Error
  Module::MissingModule < Puppet::Module::Error
  Module::Plan <
  Module::Plan::Error < Puppet::Error
  Module::Plan::InvalidFile < Puppet::Module::Plan::Error
  Module::Plan::InvalidMetadata < Puppet::Module::Plan::Error
  Module::Plan::InvalidName < Puppet::Module::Plan::Error
  Module::Plan::InvalidPlan < Puppet::Module::Plan::Error
  Module::Plan::PlanNotFound < Puppet::Module::Plan::Error
  Module::Task <
  Module::Task::Error < Puppet::Error
  Module::Task::InvalidFile < Puppet::Module::Task::Error
  Module::Task::InvalidMetadata < Puppet::Module::Task::Error
  Module::Task::InvalidName < Puppet::Module::Task::Error
  Module::Task::InvalidTask < Puppet::Module::Task::Error
  Module::Task::TaskNotFound < Puppet::Module::Task::Error
  Module::UnsupportedPlatform < Puppet::Module::Error
  ModuleTranslations
  Network
  Network::AuthConfig <
  Network::Authorization
  Network::ClientRequest <
  Network::Format <
  Network::FormatHandler
  Network::FormatHandler::FormatError < Puppet::Error
  Network::FormatSupport: mime render support_format? to_json to_msgpack to_pson
  Network::FormatSupport::ClassMethods: convert_from convert_from_multiple default_format get_format render_multiple support_format? supported_formats
  Network::HTTP
  Network::HTTP::API <
  Network::HTTP::API::IndirectedRoutes <
  Network::HTTP::API::IndirectionType <
  Network::HTTP::API::Server
  Network::HTTP::API::Server::V3 <
  Network::HTTP::API::Server::V3::Environments <
  Network::HTTP::Connection <
  Network::HTTP::Error
  Network::HTTP::Error::HTTPBadRequestError < Puppet::Network::HTTP::Error::HTTPError
  Network::HTTP::Error::HTTPError < Exception
  Network::HTTP::Error::HTTPMethodNotAllowedError < Puppet::Network::HTTP::Error::HTTPError
  Network::HTTP::Error::HTTPNotAcceptableError < Puppet::Network::HTTP::Error::HTTPError
  Network::HTTP::Error::HTTPNotAuthorizedError < Puppet::Network::HTTP::Error::HTTPError
  Network::HTTP::Error::HTTPNotFoundError < Puppet::Network::HTTP::Error::HTTPError
  Network::HTTP::Error::HTTPServerError < Puppet::Network::HTTP::Error::HTTPError
  Network::HTTP::Error::HTTPUnsupportedMediaTypeError < Puppet::Network::HTTP::Error::HTTPError
  Network::HTTP::Handler: find_route_or_raise format_to_mime headers make_generic_request process register resolve_node respond_to_errors respond_with_http_error set_content_type set_puppet_version_header set_response with_request_profiling
  Network::HTTP::Issues
  Network::HTTP::MemoryResponse <
  Network::HTTP::RedirectionLimitExceededException < Puppet::Error
  Network::HTTP::Request <
  Network::HTTP::Response <
  Network::HTTP::Route <
  Network::HttpPool
  Network::Uri: mask_credentials
  Node <
  Node::Environment <
  Node::Environment::None < Puppet::Node::Environment
  Node::Environment::Remote < Puppet::Node::Environment
  Node::Exec < Puppet::Indirector::Exec
  Node::Facts <
  Node::Facts::Facter < Puppet::Indirector::Code
  Node::Facts::Json < Puppet::Indirector::JSON
  Node::Facts::Memory < Puppet::Indirector::Memory
  Node::Facts::NetworkDevice < Puppet::Indirector::Code
  Node::Facts::NodeExpirer: save
  Node::Facts::Rest < Puppet::Indirector::REST
  Node::Facts::StoreConfigs < Puppet::Indirector::StoreConfigs
  Node::Facts::Yaml < Puppet::Indirector::Yaml
  Node::Json < Puppet::Indirector::JSON
  Node::Memory < Puppet::Indirector::Memory
  Node::Msgpack < Puppet::Indirector::Msgpack
  Node::Plain < Puppet::Indirector::Plain
  Node::Rest < Puppet::Indirector::REST
  Node::ServerFacts <
  Node::StoreConfigs < Puppet::Indirector::StoreConfigs
  Node::Yaml < Puppet::Indirector::Yaml
  Pal
  Pal::CatalogCompiler < Puppet::Pal::Compiler
  Pal::Compiler <
  Pal::FunctionSignature <
  Pal::JsonCatalogEncoder <
  Pal::PlanSignature <
  Pal::ScriptCompiler < Puppet::Pal::Compiler
  Pal::TaskSignature <
  Parameter <
  Parameter::Boolean < Puppet::Parameter
  Parameter::PackageOptions < Puppet::Parameter
  Parameter::Path < Puppet::Parameter
  Parameter::Value <
  Parameter::ValueCollection <
  ParseError < Puppet::Error
  ParseErrorWithIssue < Puppet::ParseError
  Parser
  Parser::AbstractCompiler: catalog environment newscope qualified_variables topscope
  Parser::CatalogCompiler < Puppet::Parser::Compiler
  Parser::Compiler <
  Parser::Compiler::CatalogValidationError < Puppet::Error
  Parser::Compiler::CatalogValidator <
  Parser::Compiler::CatalogValidator::RelationshipValidator < Puppet::Parser::Compiler::CatalogValidator
  Parser::E4ParserAdapter <
  Parser::Files
  Parser::Functions
  Parser::ParserFactory <
  Parser::Relationship <
  Parser::Scope <
  Parser::Scope::Ephemeral <
  Parser::Scope::LocalScope < Puppet::Parser::Scope::Ephemeral
  Parser::Scope::MatchScope < Puppet::Parser::Scope::Ephemeral
  Parser::Scope::ParameterScope < Puppet::Parser::Scope::Ephemeral
  Parser::Scope::ParameterScope::Access <
  Parser::ScriptCompiler <
  Parser::TemplateWrapper <
  Parser::TypeLoader <
  Parser::TypeLoader::TypeLoaderError < StandardError
  Pops
  Pops::Adaptable
  Pops::Adaptable::Adapter <
  Pops::Adapters
  Pops::Adapters::DocumentationAdapter < Puppet::Pops::Adaptable::Adapter
  Pops::Adapters::EmptyAlternativeAdapter < Puppet::Pops::Adaptable::Adapter
  Pops::Adapters::LoaderAdapter < Puppet::Pops::Adaptable::Adapter
  Pops::Adapters::LoaderAdapter::PathsAndNameCacheAdapter < Puppet::Pops::Adaptable::Adapter
  Pops::Adapters::ObjectIdCacheAdapter < Puppet::Pops::Adaptable::Adapter
  Pops::Adapters::SourcePosAdapter <
  Pops::DeepMergeStrategy < Puppet::Pops::MergeStrategy
  Pops::DefaultMergeStrategy < Puppet::Pops::FirstFoundStrategy
  Pops::Evaluator
  Pops::Evaluator::AccessOperator <
  Pops::Evaluator::CallableSignature <
  Pops::Evaluator::Closure < Puppet::Pops::Evaluator::CallableSignature
  Pops::Evaluator::Closure::Dynamic < Puppet::Pops::Evaluator::Closure
  Pops::Evaluator::Closure::Named < Puppet::Pops::Evaluator::Closure
  Pops::Evaluator::CollectorTransformer <
  Pops::Evaluator::Collectors
  Pops::Evaluator::Collectors::AbstractCollector <
  Pops::Evaluator::Collectors::CatalogCollector < Puppet::Pops::Evaluator::Collectors::AbstractCollector
  Pops::Evaluator::Collectors::ExportedCollector < Puppet::Pops::Evaluator::Collectors::AbstractCollector
  Pops::Evaluator::Collectors::FixedSetCollector < Puppet::Pops::Evaluator::Collectors::AbstractCollector
  Pops::Evaluator::CompareOperator <
  Pops::Evaluator::DeferredResolver <
  Pops::Evaluator::DeferredValue <
  Pops::Evaluator::EppEvaluator <
  Pops::Evaluator::EvaluatorImpl <
  Pops::Evaluator::ExternalSyntaxSupport
  Pops::Evaluator::JsonStrictLiteralEvaluator <
  Pops::Evaluator::Jumper < Exception
  Pops::Evaluator::LiteralEvaluator <
  Pops::Evaluator::Next < Puppet::Pops::Evaluator::Jumper
  Pops::Evaluator::PuppetProc <
  Pops::Evaluator::PuppetStopIteration <
  Pops::Evaluator::RelationshipOperator <
  Pops::Evaluator::RelationshipOperator::IllegalRelationshipOperandError < RuntimeError
  Pops::Evaluator::RelationshipOperator::NotCatalogTypeError < RuntimeError
  Pops::Evaluator::Return < Puppet::Pops::Evaluator::Jumper
  Pops::Evaluator::Runtime3Converter <
  Pops::Evaluator::Runtime3FunctionArgumentConverter < Puppet::Pops::Evaluator::Runtime3Converter
  Pops::Evaluator::Runtime3ResourceSupport
  Pops::Evaluator::Runtime3Support
  Pops::Evaluator::Runtime3Support::EvaluationError < StandardError
  Pops::Evaluator::Runtime3Support::ExceptionRaisingAcceptor < Puppet::Pops::Validation::Acceptor
  Pops::Evaluator::Runtime3Support::SeverityProducer < Puppet::Pops::Validation::SeverityProducer
  Pops::FirstFoundStrategy < Puppet::Pops::MergeStrategy
  Pops::Functions
  Pops::Functions::Dispatch < Puppet::Pops::Evaluator::CallableSignature
  Pops::Functions::Dispatcher <
  Pops::Functions::Function <
  Pops::HashMergeStrategy < Puppet::Pops::MergeStrategy
  Pops::IssueReporter <
  Pops::Issues
  Pops::Issues::Issue <
  Pops::Issues::MessageData <
  Pops::LabelProvider
  Pops::Loader
  Pops::Loader::BaseLoader < Puppet::Pops::Loader::Loader
  Pops::Loader::DependencyLoader < Puppet::Pops::Loader::BaseLoader
  Pops::Loader::GemSupport
  Pops::Loader::GenericPlanInstantiator <
  Pops::Loader::Loader <
  Pops::Loader::Loader::NamedEntry <
  Pops::Loader::LoaderPaths
  Pops::Loader::LoaderPaths::DataTypePath < Puppet::Pops::Loader::LoaderPaths::RubySmartPath
  Pops::Loader::LoaderPaths::FunctionPath3x < Puppet::Pops::Loader::LoaderPaths::RubySmartPath
  Pops::Loader::LoaderPaths::FunctionPath4x < Puppet::Pops::Loader::LoaderPaths::RubySmartPath
  Pops::Loader::LoaderPaths::FunctionPathPP < Puppet::Pops::Loader::LoaderPaths::PuppetSmartPath
  Pops::Loader::LoaderPaths::PlanPath < Puppet::Pops::Loader::LoaderPaths::PuppetSmartPath
  Pops::Loader::LoaderPaths::PuppetSmartPath < Puppet::Pops::Loader::LoaderPaths::SmartPath
  Pops::Loader::LoaderPaths::ResourceTypeImplPP < Puppet::Pops::Loader::LoaderPaths::PuppetSmartPath
  Pops::Loader::LoaderPaths::RubySmartPath < Puppet::Pops::Loader::LoaderPaths::SmartPath
  Pops::Loader::LoaderPaths::SmartPath <
  Pops::Loader::LoaderPaths::SmartPaths <
  Pops::Loader::LoaderPaths::TaskPath < Puppet::Pops::Loader::LoaderPaths::PuppetSmartPath
  Pops::Loader::LoaderPaths::TypePathPP < Puppet::Pops::Loader::LoaderPaths::PuppetSmartPath
  Pops::Loader::ModuleLoaders
  Pops::Loader::ModuleLoaders::AbstractPathBasedModuleLoader < Puppet::Pops::Loader::BaseLoader
  Pops::Loader::ModuleLoaders::EmptyLoader < Puppet::Pops::Loader::BaseLoader
  Pops::Loader::ModuleLoaders::FileBased < Puppet::Pops::Loader::ModuleLoaders::AbstractPathBasedModuleLoader
  Pops::Loader::ModuleLoaders::GemBased < Puppet::Pops::Loader::ModuleLoaders::FileBased
  Pops::Loader::ModuleLoaders::LibRootedFileBased < Puppet::Pops::Loader::ModuleLoaders::FileBased
  Pops::Loader::PredefinedLoader < Puppet::Pops::Loader::BaseLoader
  Pops::Loader::PuppetFunctionInstantiator <
  Pops::Loader::PuppetPlanInstantiator <
  Pops::Loader::PuppetResourceTypeImplInstantiator <
  Pops::Loader::RubyDataTypeInstantiator <
  Pops::Loader::RubyFunctionInstantiator <
  Pops::Loader::RubyLegacyFunctionInstantiator <
  Pops::Loader::Runtime3TypeLoader < Puppet::Pops::Loader::BaseLoader
  Pops::Loader::SimpleEnvironmentLoader < Puppet::Pops::Loader::BaseLoader
  Pops::Loader::StaticLoader < Puppet::Pops::Loader::Loader
  Pops::Loader::TaskInstantiator <
  Pops::Loader::TypeDefinitionInstantiator <
  Pops::Loader::TypedName <
  Pops::Loader::UriHelper
  Pops::Loaders <
  Pops::Loaders::LoaderError < Puppet::Error
  Pops::Loaders::LoaderModuleData <
  Pops::Loaders::ModuleResolver <
  Pops::Lookup
  Pops::MergeStrategy <
  Pops::Model
  Pops::Model::AbstractAttributeOperation < Puppet::Pops::Model::Positioned
  Pops::Model::AbstractResource < Puppet::Pops::Model::Expression
  Pops::Model::AccessExpression < Puppet::Pops::Model::Expression
  Pops::Model::AndExpression < Puppet::Pops::Model::BooleanExpression
  Pops::Model::ApplyBlockExpression < Puppet::Pops::Model::BlockExpression
  Pops::Model::ApplyExpression < Puppet::Pops::Model::Expression
  Pops::Model::ArithmeticExpression < Puppet::Pops::Model::BinaryExpression
  Pops::Model::AssignmentExpression < Puppet::Pops::Model::BinaryExpression
  Pops::Model::AstTransformer <
  Pops::Model::AttributeOperation < Puppet::Pops::Model::AbstractAttributeOperation
  Pops::Model::AttributesOperation < Puppet::Pops::Model::AbstractAttributeOperation
  Pops::Model::BinaryExpression < Puppet::Pops::Model::Expression
  Pops::Model::BlockExpression < Puppet::Pops::Model::Expression
  Pops::Model::BooleanExpression < Puppet::Pops::Model::BinaryExpression
  Pops::Model::CallExpression < Puppet::Pops::Model::Expression
  Pops::Model::CallFunctionExpression < Puppet::Pops::Model::CallExpression
  Pops::Model::CallMethodExpression < Puppet::Pops::Model::CallExpression
  Pops::Model::CallNamedFunctionExpression < Puppet::Pops::Model::CallExpression
  Pops::Model::CaseExpression < Puppet::Pops::Model::Expression
  Pops::Model::CaseOption < Puppet::Pops::Model::Expression
  Pops::Model::CollectExpression < Puppet::Pops::Model::Expression
  Pops::Model::ComparisonExpression < Puppet::Pops::Model::BinaryExpression
  Pops::Model::ConcatenatedString < Puppet::Pops::Model::Expression
  Pops::Model::Definition < Puppet::Pops::Model::Expression
  Pops::Model::EppExpression < Puppet::Pops::Model::Expression
  Pops::Model::ExportedQuery < Puppet::Pops::Model::QueryExpression
  Pops::Model::Expression < Puppet::Pops::Model::Positioned
  Pops::Model::Factory <
  Pops::Model::Factory::ArgsToNonCallError < RuntimeError
  Pops::Model::FunctionDefinition < Puppet::Pops::Model::NamedDefinition
  Pops::Model::HeredocExpression < Puppet::Pops::Model::Expression
  Pops::Model::HostClassDefinition < Puppet::Pops::Model::NamedDefinition
  Pops::Model::IfExpression < Puppet::Pops::Model::Expression
  Pops::Model::InExpression < Puppet::Pops::Model::BinaryExpression
  Pops::Model::KeyedEntry < Puppet::Pops::Model::Positioned
  Pops::Model::LambdaExpression < Puppet::Pops::Model::Expression
  Pops::Model::Literal < Puppet::Pops::Model::Expression
  Pops::Model::LiteralBoolean < Puppet::Pops::Model::LiteralValue
  Pops::Model::LiteralDefault < Puppet::Pops::Model::Literal
  Pops::Model::LiteralFloat < Puppet::Pops::Model::LiteralNumber
  Pops::Model::LiteralHash < Puppet::Pops::Model::Expression
  Pops::Model::LiteralInteger < Puppet::Pops::Model::LiteralNumber
  Pops::Model::LiteralList < Puppet::Pops::Model::Expression
  Pops::Model::LiteralNumber < Puppet::Pops::Model::LiteralValue
  Pops::Model::LiteralRegularExpression < Puppet::Pops::Model::LiteralValue
  Pops::Model::LiteralString < Puppet::Pops::Model::LiteralValue
  Pops::Model::LiteralUndef < Puppet::Pops::Model::Literal
  Pops::Model::LiteralValue < Puppet::Pops::Model::Literal
  Pops::Model::MatchExpression < Puppet::Pops::Model::BinaryExpression
  Pops::Model::ModelLabelProvider <
  Pops::Model::ModelTreeDumper < Puppet::Pops::Model::TreeDumper
  Pops::Model::NamedAccessExpression < Puppet::Pops::Model::BinaryExpression
  Pops::Model::NamedDefinition < Puppet::Pops::Model::Definition
  Pops::Model::NodeDefinition < Puppet::Pops::Model::Definition
  Pops::Model::Nop < Puppet::Pops::Model::Expression
  Pops::Model::NotExpression < Puppet::Pops::Model::UnaryExpression
  Pops::Model::OrExpression < Puppet::Pops::Model::BooleanExpression
  Pops::Model::PNTransformer <
  Pops::Model::Parameter < Puppet::Pops::Model::Positioned
  Pops::Model::ParenthesizedExpression < Puppet::Pops::Model::UnaryExpression
  Pops::Model::PlanDefinition < Puppet::Pops::Model::FunctionDefinition
  Pops::Model::PopsObject <
  Pops::Model::Positioned < Puppet::Pops::Model::PopsObject
  Pops::Model::Program < Puppet::Pops::Model::PopsObject
  Pops::Model::QRefDefinition < Puppet::Pops::Model::Definition
  Pops::Model::QualifiedName < Puppet::Pops::Model::LiteralValue
  Pops::Model::QualifiedReference < Puppet::Pops::Model::LiteralValue
  Pops::Model::QueryExpression < Puppet::Pops::Model::Expression
  Pops::Model::RelationshipExpression < Puppet::Pops::Model::BinaryExpression
  Pops::Model::RenderExpression < Puppet::Pops::Model::UnaryExpression
  Pops::Model::RenderStringExpression < Puppet::Pops::Model::LiteralString
  Pops::Model::ReservedWord < Puppet::Pops::Model::LiteralValue
  Pops::Model::ResourceBody < Puppet::Pops::Model::Positioned
  Pops::Model::ResourceDefaultsExpression < Puppet::Pops::Model::AbstractResource
  Pops::Model::ResourceExpression < Puppet::Pops::Model::AbstractResource
  Pops::Model::ResourceOverrideExpression < Puppet::Pops::Model::AbstractResource
  Pops::Model::ResourceTypeDefinition < Puppet::Pops::Model::NamedDefinition
  Pops::Model::SelectorEntry < Puppet::Pops::Model::Positioned
  Pops::Model::SelectorExpression < Puppet::Pops::Model::Expression
  Pops::Model::TextExpression < Puppet::Pops::Model::UnaryExpression
  Pops::Model::TreeDumper <
  Pops::Model::TypeAlias < Puppet::Pops::Model::QRefDefinition
  Pops::Model::TypeDefinition < Puppet::Pops::Model::QRefDefinition
  Pops::Model::TypeMapping < Puppet::Pops::Model::Definition
  Pops::Model::UnaryExpression < Puppet::Pops::Model::Expression
  Pops::Model::UnaryMinusExpression < Puppet::Pops::Model::UnaryExpression
  Pops::Model::UnfoldExpression < Puppet::Pops::Model::UnaryExpression
  Pops::Model::UnlessExpression < Puppet::Pops::Model::IfExpression
  Pops::Model::VariableExpression < Puppet::Pops::Model::UnaryExpression
  Pops::Model::VirtualQuery < Puppet::Pops::Model::QueryExpression
  Pops::Parser
  Pops::Parser::CodeMerger <
  Pops::Parser::EppParser < Puppet::Pops::Parser::Parser
  Pops::Parser::EppSupport
  Pops::Parser::EppSupport::EppScanner <
  Pops::Parser::EvaluatingParser <
  Pops::Parser::EvaluatingParser::EvaluatingEppParser < Puppet::Pops::Parser::EvaluatingParser
  Pops::Parser::HeredocSupport
  Pops::Parser::InterpolationSupport
  Pops::Parser::Lexer2 <
  Pops::Parser::LexerSupport
  Pops::Parser::LexerSupport::TokenValue < Puppet::Pops::Parser::Locatable
  Pops::Parser::Locatable <
  Pops::Parser::Locatable::Fixed < Puppet::Pops::Parser::Locatable
  Pops::Parser::Locator <
  Pops::Parser::Locator::AbstractLocator < Puppet::Pops::Parser::Locator
  Pops::Parser::Locator::Locator19 < Puppet::Pops::Parser::Locator::AbstractLocator
  Pops::Parser::Locator::LocatorForChars < Puppet::Pops::Parser::Locator::AbstractLocator
  Pops::Parser::Locator::SubLocator < Puppet::Pops::Parser::Locator::AbstractLocator
  Pops::Parser::PNParser <
  Pops::Parser::Parser <
  Pops::Parser::SlurpSupport
  Pops::Patterns
  Pops::Pcore
  Pops::PuppetStack
  Pops::Resource
  Pops::Resource::Param <
  Pops::Resource::ResourceTypeImpl <
  Pops::ReverseDeepMergeStrategy < Puppet::Pops::UnconstrainedDeepMergeStrategy
  Pops::SemanticError < RuntimeError
  Pops::Serialization
  Pops::Serialization::AbstractReader <
  Pops::Serialization::AbstractWriter <
  Pops::Serialization::Builder <
  Pops::Serialization::Deserializer <
  Pops::Serialization::Extension
  Pops::Serialization::Extension::ArrayStart <
  Pops::Serialization::Extension::Comment <
  Pops::Serialization::Extension::Default <
  Pops::Serialization::Extension::InnerTabulation < Puppet::Pops::Serialization::Extension::Tabulation
  Pops::Serialization::Extension::MapStart <
  Pops::Serialization::Extension::NotTabulated
  Pops::Serialization::Extension::ObjectStart <
  Pops::Serialization::Extension::PcoreObjectStart <
  Pops::Serialization::Extension::SensitiveStart <
  Pops::Serialization::Extension::SequenceStart
  Pops::Serialization::Extension::Tabulation <
  Pops::Serialization::FromDataConverter <
  Pops::Serialization::InstanceReader
  Pops::Serialization::InstanceWriter
  Pops::Serialization::JSON
  Pops::Serialization::JSON::Packer <
  Pops::Serialization::JSON::Reader < Puppet::Pops::Serialization::AbstractReader
  Pops::Serialization::JSON::Unpacker <
  Pops::Serialization::JSON::Writer < Puppet::Pops::Serialization::AbstractWriter
  Pops::Serialization::JsonPath
  Pops::Serialization::JsonPath::Resolver <
  Pops::Serialization::ObjectArrayBuilder < Puppet::Pops::Serialization::Builder
  Pops::Serialization::ObjectHashBuilder < Puppet::Pops::Serialization::Builder
  Pops::Serialization::ObjectReader <
  Pops::Serialization::ObjectWriter <
  Pops::Serialization::SerializationError < Puppet::Error
  Pops::Serialization::Serializer <
  Pops::Serialization::TimeFactory <
  Pops::Serialization::ToDataConverter <
  Pops::Serialization::ToStringifiedConverter <
  Pops::Types
  Pops::Types::Annotatable
  Pops::Types::Annotation < Puppet::Pops::Adaptable::Adapter
  Pops::Types::ArrayPathElement < Puppet::Pops::Types::TypePathElement
  Pops::Types::AttrReader <
  Pops::Types::BlockPathElement < Puppet::Pops::Types::ParameterPathElement
  Pops::Types::ClassLoader <
  Pops::Types::CountMismatch < Puppet::Pops::Types::SizeMismatch
  Pops::Types::EntryKeyPathElement < Puppet::Pops::Types::TypePathElement
  Pops::Types::EntryValuePathElement < Puppet::Pops::Types::TypePathElement
  Pops::Types::ExpectedActualMismatch < Puppet::Pops::Types::Mismatch
  Pops::Types::ExtraneousKey < Puppet::Pops::Types::KeyMismatch
  Pops::Types::HashIterator < Puppet::Pops::Types::Iterator
  Pops::Types::ImplementationRegistry <
  Pops::Types::IntegerRangeIterator < Puppet::Pops::Types::Iterator
  Pops::Types::InvalidParameter < Puppet::Pops::Types::ExtraneousKey
  Pops::Types::InvocableMember
  Pops::Types::Iterable
  Pops::Types::Iterable::BreadthFirstTreeIterator < Puppet::Pops::Types::Iterable::TreeIterator
  Pops::Types::Iterable::DepthFirstTreeIterator < Puppet::Pops::Types::Iterable::TreeIterator
  Pops::Types::Iterable::TreeIterator <
  Pops::Types::Iterator <
  Pops::Types::IteratorProducer
  Pops::Types::KeyMismatch < Puppet::Pops::Types::Mismatch
  Pops::Types::Mismatch <
  Pops::Types::MissingKey < Puppet::Pops::Types::KeyMismatch
  Pops::Types::MissingParameter < Puppet::Pops::Types::KeyMismatch
  Pops::Types::MissingRequiredBlock < Puppet::Pops::Types::Mismatch
  Pops::Types::NoopTypeAcceptor <
  Pops::Types::ParameterPathElement < Puppet::Pops::Types::TypePathElement
  Pops::Types::PatternMismatch < Puppet::Pops::Types::TypeMismatch
  Pops::Types::PuppetObject
  Pops::Types::RecursionGuard <
  Pops::Types::ReturnTypeElement < Puppet::Pops::Types::TypePathElement
  Pops::Types::RubyGenerator < Puppet::Pops::Types::TypeFormatter
  Pops::Types::RubyMethod < Puppet::Pops::Types::Annotation
  Pops::Types::SignaturePathElement < Puppet::Pops::Types::VariantPathElement
  Pops::Types::SizeMismatch < Puppet::Pops::Types::ExpectedActualMismatch
  Pops::Types::StepIterator < Puppet::Pops::Types::Iterator
  Pops::Types::StringConverter <
  Pops::Types::StringConverter::Format <
  Pops::Types::StringConverter::FormatError < ArgumentError
  Pops::Types::StringConverter::Indentation <
  Pops::Types::SubjectPathElement < Puppet::Pops::Types::TypePathElement
  Pops::Types::TypeAcceptor
  Pops::Types::TypeAsserter
  Pops::Types::TypeAssertionError < Puppet::Error
  Pops::Types::TypeCalculator <
  Pops::Types::TypeConversionError < Puppet::Error
  Pops::Types::TypeFactory
  Pops::Types::TypeFormatter <
  Pops::Types::TypeMismatch < Puppet::Pops::Types::ExpectedActualMismatch
  Pops::Types::TypeMismatchDescriber <
  Pops::Types::TypeMismatchDescriber::UnresolvedTypeFinder <
  Pops::Types::TypeParser <
  Pops::Types::TypePathElement <
  Pops::Types::TypeSetReference <
  Pops::Types::TypeWithMembers
  Pops::Types::TypedModelObject <
  Pops::Types::UnexpectedBlock < Puppet::Pops::Types::Mismatch
  Pops::Types::UnresolvedTypeReference < Puppet::Pops::Types::Mismatch
  Pops::Types::VariantPathElement < Puppet::Pops::Types::TypePathElement
  Pops::UnconstrainedDeepMergeStrategy < Puppet::Pops::DeepMergeStrategy
  Pops::UniqueMergeStrategy < Puppet::Pops::MergeStrategy
  Pops::Utils
  Pops::Validation
  Pops::Validation::Acceptor <
  Pops::Validation::Checker4_0 < Puppet::Pops::Evaluator::LiteralEvaluator
  Pops::Validation::Diagnostic <
  Pops::Validation::DiagnosticFormatter <
  Pops::Validation::DiagnosticFormatterPuppetStyle < Puppet::Pops::Validation::DiagnosticFormatter
  Pops::Validation::DiagnosticProducer <
  Pops::Validation::Factory <
  Pops::Validation::SeverityProducer <
  Pops::Validation::TasksChecker < Puppet::Pops::Validation::Checker4_0
  Pops::Validation::ValidatorFactory_4_0 < Puppet::Pops::Validation::Factory
  Pops::Visitable
  Pops::Visitor <
  PreformattedError < Puppet::ParseErrorWithIssue
  Property < Puppet::Parameter
  Property::Boolean < Puppet::Property
  Property::Ensure < Puppet::Property
  Property::KeyValue < Puppet::Property
  Property::List < Puppet::Property
  Property::OrderedList < Puppet::Property::List
  Provider <
  Provider::AixObject < Puppet::Provider
  Provider::AixObject::MappedObject <
  Provider::Command <
  Provider::CommandDefiner <
  Provider::Exec < Puppet::Provider
  Provider::Ldap < Puppet::Provider
  Provider::NameService < Puppet::Provider
  Provider::NameService::DirectoryService < Puppet::Provider::NameService
  Provider::NameService::ObjectAdd < Puppet::Provider::NameService
  Provider::NameService::PW < Puppet::Provider::NameService::ObjectAdd
  Provider::NetworkDevice < Puppet::Provider
  Provider::Package < Puppet::Provider
  Provider::Package::Targetable < Puppet::Provider::Package
  Provider::Package::Windows <
  Provider::Package::Windows::ExePackage < Puppet::Provider::Package::Windows::Package
  Provider::Package::Windows::MsiPackage < Puppet::Provider::Package::Windows::Package
  Provider::Package::Windows::Package <
  Provider::ParsedFile < Puppet::Provider
  Provider::ResourceApiTest
  Provider::ResourceApiTest::ResourceApiTest < Puppet::ResourceApi::SimpleProvider
  Relationship <
  Reports <
  Resource <
  Resource::Catalog < Puppet::Graph::SimpleGraph
  Resource::Catalog::Compiler < Puppet::Indirector::Code
  Resource::Catalog::DuplicateResourceError < Puppet::Error
  Resource::Catalog::Json < Puppet::Indirector::JSON
  Resource::Catalog::Msgpack < Puppet::Indirector::Msgpack
  Resource::Catalog::Rest < Puppet::Indirector::REST
  Resource::Catalog::StoreConfigs < Puppet::Indirector::StoreConfigs
  Resource::Catalog::Yaml < Puppet::Indirector::Yaml
  Resource::Ral < Puppet::Indirector::Code
  Resource::Status <
  Resource::StoreConfigs < Puppet::Indirector::StoreConfigs
  Resource::Type <
  Resource::TypeCollection <
  Resource::Validator: validate_key
  ResourceApi
  ResourceApi::BaseContext <
  ResourceApi::BaseTypeDefinition <
  ResourceApi::DataTypeHandling
  ResourceApi::IOContext < Puppet::ResourceApi::BaseContext
  ResourceApi::MonkeyHash < Hash
  ResourceApi::Parameter < Puppet::Parameter
  ResourceApi::Property < Puppet::Property
  ResourceApi::ProviderGetCache <
  ResourceApi::PuppetContext < Puppet::ResourceApi::BaseContext
  ResourceApi::ReadOnlyParameter < Puppet::ResourceApi::Parameter
  ResourceApi::ResourceShim <
  ResourceApi::SimpleProvider <
  ResourceApi::Transport
  ResourceApi::Transport::Wrapper <
  ResourceApi::TransportSchemaDef < Puppet::ResourceApi::BaseTypeDefinition
  ResourceApi::TypeDefinition < Puppet::ResourceApi::BaseTypeDefinition
  ResourceApi::ValueCreator
  ResourceError < Puppet::Error
  Runtime <
  SELFileContext < Puppet::Property
  SSL
  SSL::Base <
  SSL::CertMismatchError < Puppet::SSL::SSLError
  SSL::CertVerifyError < Puppet::SSL::SSLError
  SSL::Certificate < Puppet::SSL::Base
  SSL::CertificateRequest < Puppet::SSL::Base
  SSL::CertificateRequestAttributes <
  SSL::CertificateSigner <
  SSL::Digest <
  SSL::Oids
  SSL::SSLContext <
  SSL::SSLError < Puppet::Error
  SSL::SSLProvider <
  SSL::StateMachine <
  SSL::Verifier <
  Scheduler
  Scheduler::Job <
  Scheduler::Scheduler <
  Scheduler::SplayJob < Puppet::Scheduler::Job
  Scheduler::Timer <
  Settings <
  Settings::AliasSetting <
  Settings::ArraySetting < Puppet::Settings::BaseSetting
  Settings::AutosignSetting < Puppet::Settings::FileSetting
  Settings::BaseSetting <
  Settings::BooleanSetting < Puppet::Settings::BaseSetting
  Settings::CertificateRevocationSetting < Puppet::Settings::BaseSetting
  Settings::ChainedValues <
  Settings::ConfigFile <
  Settings::ConfigFile::Conf <
  Settings::ConfigFile::Meta <
  Settings::ConfigFile::Section <
  Settings::ConfigFile::Setting <
  Settings::DirectorySetting < Puppet::Settings::FileSetting
  Settings::DurationSetting < Puppet::Settings::BaseSetting
  Settings::EnumSetting < Puppet::Settings::BaseSetting
  Settings::EnvironmentConf <
  Settings::EnvironmentConf::Static <
  Settings::FileOrDirectorySetting < Puppet::Settings::FileSetting
  Settings::FileSetting < Puppet::Settings::StringSetting
  Settings::FileSetting::Root <
  Settings::FileSetting::Service <
  Settings::FileSetting::SettingError < StandardError
  Settings::FileSetting::Unspecified <
  Settings::HttpExtraHeadersSetting < Puppet::Settings::BaseSetting
  Settings::IniFile <
  Settings::IniFile::DefaultSection < Puppet::Settings::IniFile::SectionLine
  Settings::IniFile::Line <
  Settings::IniFile::LineNumber: line_number previous previous=
  Settings::IniFile::Manipulator <
  Settings::IniFile::SectionLine <
  Settings::IniFile::SettingLine <
  Settings::IntegerSetting < Puppet::Settings::BaseSetting
  Settings::InterpolationError < Puppet::Settings::SettingsError
  Settings::ParseError < Puppet::Settings::SettingsError
  Settings::PathSetting < Puppet::Settings::StringSetting
  Settings::PortSetting < Puppet::Settings::IntegerSetting
  Settings::PrioritySetting < Puppet::Settings::BaseSetting
  Settings::SearchPathElement <
  Settings::ServerListSetting < Puppet::Settings::ArraySetting
  Settings::SettingsError < Puppet::Error
  Settings::StringSetting < Puppet::Settings::BaseSetting
  Settings::SymbolicEnumSetting < Puppet::Settings::BaseSetting
  Settings::TTLSetting < Puppet::Settings::BaseSetting
  Settings::TerminusSetting < Puppet::Settings::BaseSetting
  Settings::ValidationError < Puppet::Settings::SettingsError
  Settings::ValueTranslator <
  Settings::Values <
  Settings::ValuesFromEnvironmentConf <
  Settings::ValuesFromSection <
  SubclassAlreadyDefined < Puppet::Error
  SyntaxCheckers
  SyntaxCheckers::Base64 < Puppet::Plugins::SyntaxCheckers::SyntaxChecker
  SyntaxCheckers::EPP < Puppet::Plugins::SyntaxCheckers::SyntaxChecker
  SyntaxCheckers::Json < Puppet::Plugins::SyntaxCheckers::SyntaxChecker
  SyntaxCheckers::PP < Puppet::Plugins::SyntaxCheckers::SyntaxChecker
  Test
  Test::LogCollector <
  Test::TestHelper <
  ThreadLocal <
  Transaction <
  Transaction::AdditionalResourceGenerator <
  Transaction::Event <
  Transaction::EventManager <
  Transaction::Persistence <
  Transaction::Report <
  Transaction::Report::Json < Puppet::Indirector::JSON
  Transaction::Report::Msgpack < Puppet::Indirector::Msgpack
  Transaction::Report::Processor < Puppet::Indirector::Code
  Transaction::Report::Rest < Puppet::Indirector::REST
  Transaction::Report::Yaml < Puppet::Indirector::Yaml
  Transaction::ResourceHarness <
  Transaction::ResourceHarness::ResourceApplicationContext <
  TrustedExternal
  Util
  Util::Autoload <
  Util::Backups: perform_backup
  Util::CharacterEncoding
  Util::Checksums
  Util::Checksums::DigestLite <
  Util::Checksums::FakeChecksum <
  Util::ClassGen: genclass genmodule rmclass
  Util::Colors: colorize console_color html_color
  Util::CommandLine <
  Util::ConstantInflector
  Util::Diff: lcs_diff string_file_diff
  Util::Docs: desc doc doc= dochook doctable markdown_definitionlist markdown_header nodoc nodoc? pad
  Util::Errors: adderrorcontext devfail error_context exceptwrap fail
  Util::Execution
  Util::Execution::ProcessOutput <
  Util::ExecutionStub <
  Util::Feature <
  Util::FileNamespaceAdapter < Puppet::Pops::Adaptable::Adapter
  Util::FileParsing: clear_records fields handle_record_line handle_text_line line_separator line_separator= lines parse parse_line record_line records? text_line to_file to_line trailing_separator trailing_separator= valid_attr?
  Util::FileParsing::FileRecord <
  Util::FileType <
  Util::FileType::FileReadError < Puppet::Error
  Util::FileWatcher <
  Util::IniConfig
  Util::IniConfig::FileCollection <
  Util::IniConfig::IniParseError < Puppet::Error
  Util::IniConfig::PhysicalFile <
  Util::IniConfig::Section <
  Util::InstanceLoader: instance_hash instance_load instance_loader instance_loading? loaded_instance loaded_instances
  Util::Json
  Util::Json::ParseError < StandardError
  Util::JsonLockfile < Puppet::Util::Lockfile
  Util::Ldap
  Util::Ldap::Connection <
  Util::Ldap::Generator <
  Util::Ldap::Manager <
  Util::Libuser
  Util::Limits: setpriority
  Util::Lockfile <
  Util::Log <
  Util::Log::Destination <
  Util::Logging: alert clear_deprecation_warnings crit debug deprecation_warning emerg err format_backtrace format_exception get_deprecation_offender info log_and_raise log_deprecations_to_file log_exception notice puppet_deprecation_warning send_log warn_once warning
  Util::Logging::DeprecationWarning < Exception
  Util::Metric <
  Util::ModuleDirectoriesAdapter < Puppet::Pops::Adaptable::Adapter
  Util::MonkeyPatches
  Util::MultiMatch <
  Util::MultiMatch::MatchNotNil <
  Util::NetworkDevice <
  Util::NetworkDevice::Base <
  Util::NetworkDevice::Config <
  Util::NetworkDevice::Simple
  Util::NetworkDevice::Simple::Device <
  Util::NetworkDevice::Transport
  Util::NetworkDevice::Transport::Base <
  Util::POSIX: get_posix_field gid idfield methodbyid methodbyname search_posix_field uid
  Util::Package
  Util::Package::Version
  Util::Package::Version::Debian <
  Util::Package::Version::Debian::ValidationFailure < ArgumentError
  Util::Package::Version::Gem <
  Util::Package::Version::Gem::ValidationFailure < ArgumentError
  Util::Package::Version::Pip <
  Util::Package::Version::Pip::ValidationFailure < ArgumentError
  Util::Package::Version::Range <
  Util::Package::Version::Range::Eq < Puppet::Util::Package::Version::Range::Simple
  Util::Package::Version::Range::Gt < Puppet::Util::Package::Version::Range::Simple
  Util::Package::Version::Range::GtEq < Puppet::Util::Package::Version::Range::Simple
  Util::Package::Version::Range::Lt < Puppet::Util::Package::Version::Range::Simple
  Util::Package::Version::Range::LtEq < Puppet::Util::Package::Version::Range::Simple
  Util::Package::Version::Range::MinMax <
  Util::Package::Version::Range::Simple <
  Util::Package::Version::Range::ValidationFailure < ArgumentError
  Util::Package::Version::Rpm <
  Util::Package::Version::Rpm::ValidationFailure < ArgumentError
  Util::Pidlock <
  Util::Platform
  Util::Plist
  Util::Plist::FormatError < RuntimeError
  Util::Profiler
  Util::Profiler::Aggregate < Puppet::Util::Profiler::WallClock
  Util::Profiler::Aggregate::Metric < Hash
  Util::Profiler::Aggregate::Timer <
  Util::Profiler::AroundProfiler <
  Util::Profiler::Logging <
  Util::Profiler::Logging::Sequence <
  Util::Profiler::ObjectCounts < Puppet::Util::Profiler::Logging
  Util::Profiler::WallClock < Puppet::Util::Profiler::Logging
  Util::Profiler::WallClock::Timer <
  Util::ProviderFeatures: feature feature_module featuredocs features provider_feature
  Util::ProviderFeatures::ProviderFeature <
  Util::PsychSupport: encode_with init_with
  Util::Puppetdb
  Util::Reference <
  Util::ResourceTemplate <
  Util::RetryAction
  Util::RetryAction::RetryException < Exception
  Util::RetryAction::RetryException::NoBlockGiven < Puppet::Util::RetryAction::RetryException
  Util::RetryAction::RetryException::NoRetriesGiven < Puppet::Util::RetryAction::RetryException
  Util::RetryAction::RetryException::RetriesExceeded < Puppet::Util::RetryAction::RetryException
  Util::RpmCompare: compare_values rpm_compare_evr rpm_parse_evr rpmvercmp
  Util::RunMode <
  Util::SELinux: get_selinux_current_context get_selinux_default_context get_selinux_default_context_with_handle parse_selinux_context selinux_category_to_label selinux_support? set_selinux_context set_selinux_default_context
  Util::SUIDManager
  Util::SkipTags <
  Util::Splayer: splay splayed?
  Util::Storage <
  Util::SymbolicFileMode: display_mode normalize_symbolic_mode symbolic_mode_to_int valid_symbolic_mode?
  Util::TagSet <
  Util::Tagging: merge_into merge_tags_from raw_tagged? set_tags tag tag_if_valid tagged? tags tags= valid_tag?
  Util::Terminal
  Util::UnixRunMode < Puppet::Util::RunMode
  Util::Warnings
  Util::WatchedFile <
  Util::Watcher
  Util::Watcher::ChangeWatcher <
  Util::Watcher::Common
  Util::Watcher::PeriodicWatcher <
  Util::Watcher::Timer <
  Util::Windows
  Util::Windows::ADSI
  Util::Windows::ADSI::ADSIObject <
  Util::Windows::ADSI::Group < Puppet::Util::Windows::ADSI::ADSIObject
  Util::Windows::ADSI::User < Puppet::Util::Windows::ADSI::ADSIObject
  Util::Windows::ADSI::UserProfile <
  Util::Windows::AccessControlEntry <
  Util::Windows::AccessControlList <
  Util::Windows::COM
  Util::Windows::COM::Factory
  Util::Windows::COM::Helpers
  Util::Windows::COM::Instance
  Util::Windows::COM::Interface
  Util::Windows::Daemon <
  Util::Windows::Error < Puppet::Error
  Util::Windows::EventLog <
  Util::Windows::EventLog::EventLogError < RuntimeError
  Util::Windows::File
  Util::Windows::Process
  Util::Windows::Registry
  Util::Windows::RootCerts <
  Util::Windows::RootCerts::CERT_CONTEXT <
  Util::Windows::SID
  Util::Windows::SID::Principal <
  Util::Windows::Security
  Util::Windows::Security::ACE_HEADER <
  Util::Windows::Security::ACL <
  Util::Windows::Security::GENERIC_ACCESS_ACE <
  Util::Windows::SecurityDescriptor <
  Util::Windows::Service
  Util::Windows::String
  Util::Windows::User
  Util::Windows::User::LSA_OBJECT_ATTRIBUTES <
  Util::Windows::User::LSA_UNICODE_STRING <
  Util::Windows::User::PROFILEINFO <
  Util::WindowsRunMode < Puppet::Util::RunMode
  Util::Yaml
  Util::Yaml::YamlLoadError < Puppet::Error
  X509
  X509::CertProvider <
  X509::PemStore: delete_pem load_pem save_pem
NAMES
