# Terraform keeps ephemeral variables and write-only attributes out of the state. To send
# a new password, change the version, too.
variable "kmip_password" {
  type      = string
  ephemeral = true
}

resource "opsmanager_project_backup_job_config" "payments" {
  project_id   = "64f0c2a19b3d5e7f80a1b2c3"
  label_filter = ["east"]

  kmip_client_cert_path                = "/etc/mongodb/kmip-client.pem"
  kmip_client_cert_password_wo         = var.kmip_password
  kmip_client_cert_password_wo_version = 1
}
