# frozen_string_literal: true

# Where the example may write: a folder inside the agent's own.
Facter.add(:understudy_root) do
  setcode { File.join(Puppet[:vardir], 'understudy') }
end
