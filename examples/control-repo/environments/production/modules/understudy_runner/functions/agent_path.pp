# Returns the first path with an agent of OpenVox or Puppet that brings its own Ruby, the second one
# with the agent of a distribution.
#
# @param own the path of an agent with its own Ruby
# @param distributed the path of a distribution's agent
function understudy_runner::agent_path(String[1] $own, String[1] $distributed) >> String[1] {
  # Agents with their own Ruby have this fact.
  $facts['aio_agent_version'] ? {
    undef   => $distributed,
    default => $own,
  }
}
