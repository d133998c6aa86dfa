# Placeholder so that the namespace has a class of its own.
class profile::openstack {
}
