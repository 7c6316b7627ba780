terraform {
  required_version = ">= 1.5"

  required_providers {
    opsmanager = {
      source  = "terraform.local/local/opsmanager"
      version = "~> 0.1.0"
    }
  }
}

# The API key comes from OPSMANAGER_PUBLIC_KEY and OPSMANAGER_PRIVATE_KEY.
provider "opsmanager" {
  base_url = "https://opsmanager.example.com:8443"
}
