class role::my { include profile::mysql }
