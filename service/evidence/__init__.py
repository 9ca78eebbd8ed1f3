"""What proves a finding: pictures, clips, sealed bundles, their chain and its verification."""
